#include "run/program.hpp"

#include <chrono>

namespace weft::run {

void program::execute(const std::byte* input, std::byte* output, double* seconds) {
  using clock = std::chrono::steady_clock;
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const auto begin = clock::now();
    execute_step(i, input, output);
    if (seconds != nullptr) seconds[i] += std::chrono::duration<double>(clock::now() - begin).count();
  }
}

void program::execute_step(std::size_t number, const std::byte* input, std::byte* output) {
  const step& s = steps_[number];
  const auto at = [&](area a) -> std::byte* {
    // The input is written only where binding was allowed to use it as scratch.
    if (a == area::input) return const_cast<std::byte*>(input);
    if (a == area::output) return output;
    return memory_->at(a);
  };
  switch (s.what) {
    case step::kind::pass: {
      const std::array<std::byte*, 2> from{at(s.from[0]), at(s.from[1])};
      const std::array<std::byte*, 2> to{at(s.to[0]), at(s.to[1])};
      s.work->execute(from, to, memory_->scratch(), s.waiting);
      break;
    }
    case step::kind::start: s.moved->start(at(s.from[0]), at(s.to[0])); break;
    case step::kind::release: s.moved->release(); break;
    case step::kind::finish: s.moved->finish(); break;
  }
}

integer program::messages() const {
  integer sum = 0;
  for (const auto& s : steps_) sum += s.what == step::kind::start ? s.moved->messages_sent() : 0;
  return sum;
}

integer program::bytes_sent() const {
  integer sum = 0;
  for (const auto& s : steps_) sum += s.what == step::kind::start ? s.moved->bytes_sent() : 0;
  return sum;
}

}  // namespace weft::run
