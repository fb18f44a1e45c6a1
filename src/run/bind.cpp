// From a schedule to a program: exchanges tell the passes around them where to store and load, and
// every intermediate array gets a place in memory.
#include <algorithm>

#include "run/program.hpp"
#include "weft/error.hpp"

namespace weft::run {

namespace {

using exchange::plain_image;

/// An array at some point of the schedule. Whether it is still (or again) real cannot be told from its
/// shape: an axis of 1 or 2 keeps its extent when it is halved.
struct point {
  distribution at;
  bool real = false;
};

/// The transforms between two exchanges, and the array on either side of them.
struct group {
  std::vector<local::axis_transform> transforms;
  point before, after;
};

struct described_array {
  extents shape;
  std::size_t bytes = 0;  // per element
  [[nodiscard]] integer total() const { return volume(shape) * static_cast<integer>(bytes); }
};

extents byte_strides(const layout& of, std::size_t element_bytes) {
  extents strides = of.strides;
  for (auto& s : strides) s *= static_cast<integer>(element_bytes);
  return strides;
}

plain_image image_of(const layout& of, const described_array& array) {
  const auto bytes = static_cast<integer>(array.bytes);
  return {byte_strides(of, array.bytes), of.offset * bytes, span_of(of, array.shape) * bytes};
}

access_map map_of(const layout& of, const described_array& array) {
  return plain_map(array.shape, byte_strides(of, array.bytes), of.offset * static_cast<integer>(array.bytes));
}

std::string text_of(const std::vector<local::axis_transform>& transforms) {
  transform_stage stage;
  for (const auto& t : transforms) stage.axes.push_back(t.axis);
  return to_text(weft::stage(stage));
}

}  // namespace

class binder {
 public:
  binder(program& made, const schedule& s, const binding& how) : made_(made), schedule_(s), how_(how) {
    read_groups();
    input_ = describe(groups_.front().before);
    output_ = describe(groups_.back().after);
    input_layout_ = resolved(how.input_layout, input_.shape);
    output_layout_ = resolved(how.output_layout, output_.shape);
  }

  void bind() {
    // In place, some schedules have no last step that may write over its source; a copy is then one.
    const bool possible = try_bind(false) || try_bind(true);
    if (!possible) throw internal_error("no buffers for schedule '" + to_text(schedule_) + "'");
  }

 private:
  struct draft {
    step made;
    std::size_t from = 0;  // number of the array read; the next one is written
    bool writes_two = false;
    bool in_place = false;
  };

  void read_groups() {
    const auto stations = stations_of(schedule_);
    const bool forward = schedule_.way == direction::forward;
    bool real = forward && schedule_.real_axis >= 0;
    groups_.push_back({{}, {stations.front(), real}, {stations.front(), real}});
    for (std::size_t i = 0; i < schedule_.stages.size(); ++i) {
      const point here{stations[i + 1], real};
      if (const auto* t = std::get_if<transform_stage>(&schedule_.stages[i])) {
        for (const int axis : t->axes) {
          groups_.back().transforms.push_back(transform_of(axis));
          if (axis == schedule_.real_axis) real = !forward;
        }
        groups_.back().after = {stations[i + 1], real};
      } else {
        groups_.push_back({{}, here, here});
      }
    }
  }

  [[nodiscard]] local::axis_transform transform_of(int axis) const {
    const bool forward = schedule_.way == direction::forward;
    const bool real = axis == schedule_.real_axis;
    const auto kind = real ? (forward ? local::line_kind::r2c : local::line_kind::c2r)
                           : (forward ? local::line_kind::c2c_forward : local::line_kind::c2c_backward);
    return {axis, kind, schedule_.shape[static_cast<std::size_t>(axis)]};
  }

  [[nodiscard]] described_array describe(const point& p) const {
    const std::size_t bytes = how_.element_bytes != 0 ? how_.element_bytes
                              : p.real                ? real_bytes(how_.element)
                                                      : complex_bytes(how_.element);
    return {p.at.local_shape(how_.rank), bytes};
  }

  bool try_bind(bool final_copy) {
    final_copy_ = final_copy;
    drafts_.clear();
    needs_.assign(1, {input_.total()});
    make_exchanges();
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      add_passes(g);
      if (g < exchanges_.size()) add_exchange(g);
    }
    if (final_copy_) add_final_copy();
    if (drafts_.empty()) return true;
    return assign();
  }

  void make_exchanges() {
    exchanges_.clear();
    for (std::size_t i = 0; i + 1 < groups_.size(); ++i) {
      const auto from = describe(groups_[i].after), to = describe(groups_[i + 1].before);
      const bool first = i == 0 && groups_[i].transforms.empty();
      // The last image is the output itself where that has its shape, so that what follows, if
      // anything does, can work in place there.
      const bool last = i + 2 == groups_.size() && !final_copy_ && to.shape == output_.shape && to.bytes == output_.bytes;
      exchange::exchange_problem problem{groups_[i].after.at,
                                         groups_[i + 1].before.at,
                                         how_.rank,
                                         from.bytes,
                                         image_of(first ? input_layout_ : row_major(from.shape), from),
                                         image_of(last ? output_layout_ : row_major(to.shape), to),
                                         how_.communicator,
                                         how_.hub,
                                         how_.count_limit};
      exchanges_.push_back(how_.exchange->make(problem));
    }
  }

  [[nodiscard]] access_map final_map() const {
    return map_of(final_copy_ ? row_major(output_.shape) : output_layout_, output_);
  }

  void add_passes(std::size_t g) {
    const bool first = g == 0, last = g + 1 == groups_.size();
    auto rest = std::span<const local::axis_transform>(groups_[g].transforms);
    const bool plain = how_.exchange != nullptr && how_.exchange->plain();
    if (rest.empty() && plain && groups_.size() > 1) return;
    if (rest.empty() && groups_.size() == 1 && how_.in_place) return;
    access_map source = first ? map_of(input_layout_, input_) : exchanges_[g - 1]->source();
    auto source_bytes = describe(groups_[g].before).bytes;
    const access_map sink = last ? final_map() : exchanges_[g]->sink();
    const auto complex_shape = complex_side(groups_[g]);
    do {
      const std::size_t count =
          rest.empty() ? 0 : local::transforms_in_one_pass(rest, complex_shape, how_.element, *how_.local);
      const bool done = count == rest.size();
      local::pass_problem p{std::move(source), sink, {rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(count)},
                            how_.element, source_bytes, describe(groups_[g].after).bytes, 1.0};
      if (!done) {
        // Between two passes of a group the array is plain and complex.
        const described_array middle{complex_shape, complex_bytes(how_.element)};
        p.sink = map_of(row_major(middle.shape), middle);
        p.sink_bytes = middle.bytes;
        needs_.push_back({middle.total()});
      } else if (last) {
        needs_.push_back({final_copy_ ? output_.total() : integer{0}});
      } else {
        needs_.push_back({exchanges_[g]->from_bytes()});
      }
      if (g == last_transforming_group() && done) p.scale = how_.scale;
      add_pass(p, done && !last && exchanges_[g]->keeps_own(), g);
      source = p.sink;
      source_bytes = p.sink_bytes;
      rest = rest.subspan(count);
    } while (!rest.empty());
  }

  void add_pass(const local::pass_problem& p, bool writes_two, std::size_t g) {
    draft d;
    d.made.what = step::kind::pass;
    d.made.work = local::make_pass(p, how_.local != nullptr ? *how_.local : local::engine_named("auto"));
    d.made.name = !p.transforms.empty() ? text_of(p.transforms)
                  : groups_.size() == 1 ? "copy"
                                        : (g == 0 ? "pack" : "unpack");
    d.from = needs_.size() - 2;
    d.in_place = local::safe_in_place(p);
    d.writes_two = writes_two;
    drafts_.push_back(std::move(d));
  }

  [[nodiscard]] std::size_t last_transforming_group() const {
    std::size_t g = groups_.size() - 1;
    while (g > 0 && groups_[g].transforms.empty()) --g;
    return g;
  }

  [[nodiscard]] extents complex_side(const group& g) const {
    const auto before = describe(g.before), after = describe(g.after);
    return before.bytes < after.bytes ? after.shape : before.shape;
  }

  void add_exchange(std::size_t g) {
    draft d;
    d.made.what = step::kind::start;
    d.made.moved = exchanges_[g];
    d.made.name = to_text(stage(redistribute_stage{groups_[g + 1].before.at}));
    d.from = needs_.size() - 1;
    needs_.push_back({exchanges_[g]->to_bytes()});
    drafts_.push_back(std::move(d));
  }

  void add_final_copy() {
    const local::pass_problem p{map_of(row_major(output_.shape), output_), map_of(output_layout_, output_), {},
                                how_.element, output_.bytes, output_.bytes, 1.0};
    needs_.push_back({});
    add_pass(p, false, groups_.size() - 1);
  }

  bool assign() {
    const auto compact = [](const layout& l, const extents& shape) { return l == row_major(shape); };
    buffer_problem problem;
    problem.arrays = needs_;
    for (const auto& d : drafts_) problem.steps.push_back({d.in_place, d.writes_two});
    problem.same_memory = how_.in_place;
    const bool compact_input = compact(input_layout_, input_.shape);
    problem.scratch_output = compact(output_layout_, output_.shape) && (!how_.in_place || compact_input);
    problem.scratch_input = how_.destroy_input && compact_input;
    problem.input_bytes = input_.total();
    problem.output_bytes = how_.in_place ? std::max(input_.total(), output_.total()) : output_.total();
    const auto plan = assign_buffers(problem);
    if (!plan) return false;
    emit(*plan);
    return true;
  }

  void emit(const buffer_plan& plan) {
    std::size_t scratch = 0;
    for (std::size_t i = 0; i < drafts_.size(); ++i) {
      auto& d = drafts_[i];
      const area from = plan.arrays[d.from], to = plan.arrays[d.from + 1];
      d.made.from = {from, from};
      d.made.to = {to, d.writes_two ? plan.arrays[d.from + 2] : to};
      if (d.made.what == step::kind::pass) {
        scratch = std::max(scratch, d.made.work->scratch_bytes());
        made_.steps_.push_back(std::move(d.made));
        continue;
      }
      const auto moved = d.made.moved;
      const auto follow_up = [&](step::kind what) {
        step s;
        s.what = what;
        s.name = made_.steps_.back().name;
        s.moved = moved;
        return s;
      };
      made_.steps_.push_back(std::move(d.made));
      const bool consumer_follows = i + 1 < drafts_.size() && drafts_[i + 1].made.what == step::kind::pass;
      if (!moved->arrives_later() || !consumer_follows) {
        made_.steps_.push_back(follow_up(step::kind::finish));
        continue;
      }
      auto& consumer = drafts_[++i];
      consumer.made.from = {to, to};
      consumer.made.to = {plan.arrays[consumer.from + 1],
                          plan.arrays[consumer.from + (consumer.writes_two ? 2U : 1U)]};
      consumer.made.waiting = moved.get();
      scratch = std::max(scratch, consumer.made.work->scratch_bytes());
      auto finish = follow_up(step::kind::finish);
      // Messages may still be leaving the memory that the consumer is about to write.
      if (consumer.made.to[0] == from || consumer.made.to[1] == from) {
        made_.steps_.push_back(follow_up(step::kind::release));
      }
      made_.steps_.push_back(std::move(consumer.made));
      made_.steps_.push_back(std::move(finish));
    }
    for (int a = 0; a < area_count; ++a) {
      made_.memory_->require(static_cast<area>(a), plan.bytes[static_cast<std::size_t>(a)]);
    }
    made_.memory_->require_scratch(static_cast<integer>(scratch));
  }

  program& made_;
  const schedule& schedule_;
  const binding& how_;
  std::vector<group> groups_;
  described_array input_, output_;
  layout input_layout_, output_layout_;
  bool final_copy_ = false;
  std::vector<std::shared_ptr<exchange::exchange>> exchanges_;
  std::vector<buffer_need> needs_;
  std::vector<draft> drafts_;
};

program::program(const schedule& s, const binding& how, std::shared_ptr<workspace> memory) : memory_(std::move(memory)) {
  binder(*this, s, how).bind();
}

}  // namespace weft::run
