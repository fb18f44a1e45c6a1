#include "run/program.hpp"

#include <array>
#include <chrono>

namespace weft::run {

void program::execute(const exchange::image& input, const exchange::image& output, double* seconds) {
  using clock = std::chrono::steady_clock;
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const auto begin = clock::now();
    execute_step(i, input, output);
    if (seconds != nullptr) seconds[i] += std::chrono::duration<double>(clock::now() - begin).count();
  }
}

void program::execute_step(std::size_t number, const exchange::image& input, const exchange::image& output) {
  const step& s = steps_[number];
  const auto at = [&](area a) { return a == area::input ? input : a == area::output ? output : memory_->at(a); };
  switch (s.what) {
    case step::kind::pass: {
      const std::array<std::byte*, 1> from{at(s.source.to).mine}, to{at(s.sink.from).mine};
      auto* const brings = s.source.through;
      auto* const takes = s.sink.through;
      s.work->execute(brings ? brings->source_buffers(at(s.source.from), at(s.source.to)) : local::buffer_list(from),
                      takes ? takes->sink_buffers(at(s.sink.from), at(s.sink.to)) : local::buffer_list(to),
                      memory_->scratch(), s.waiting, takes);
      break;
    }
    case step::kind::prepare: s.moved->prepare(at(s.source.from), at(s.source.to)); break;
    case step::kind::start: s.moved->start(at(s.source.from), at(s.source.to)); break;
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
