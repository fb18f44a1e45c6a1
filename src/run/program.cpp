#include "run/program.hpp"

#include <algorithm>
#include <array>

namespace weft::run {

void program::number_stages() {
  // An exchange has its place where it starts, even if it is prepared before.
  for (auto& s : steps_) {
    if (s.what != step::kind::pass && s.what != step::kind::start) continue;
    s.stage = stages_.size();
    stages_.push_back(s.name);
  }
  for (auto& s : steps_) {
    if (s.what == step::kind::pass) continue;
    s.stage = std::ranges::find_if(steps_, [&](const step& other) {
                return other.what == step::kind::start && other.moved == s.moved;
              })->stage;
  }
}

void program::execute(const exchange::image& input, const exchange::image& output, stopwatch* watch) {
  if (watch == nullptr) {
    for (const step& s : steps_) execute_step(s, s.waiting, input, output);
    return;
  }
  watch->begin_call();
  for (const step& s : steps_) {
    watch->begin(s.stage, s.doing);
    execute_step(s, watch->around(s.waiting), input, output);
    watch->end();
  }
}

void program::execute_step(const step& s, local::arrivals* waiting, const exchange::image& input,
                           const exchange::image& output) {
  const auto at = [&](area a) { return a == area::input ? input : a == area::output ? output : memory_->at(a); };
  switch (s.what) {
    case step::kind::pass: {
      const std::array<std::byte*, 1> from{at(s.source.to).mine}, to{at(s.sink.from).mine};
      auto* const brings = s.source.through;
      auto* const takes = s.sink.through;
      s.work->execute(brings ? brings->source_buffers(at(s.source.from), at(s.source.to)) : local::buffer_list(from),
                      takes ? takes->sink_buffers(at(s.sink.from), at(s.sink.to)) : local::buffer_list(to),
                      memory_->scratch(), waiting, takes);
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
