// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <optional>

#include "contender.hpp"
#include "owned_cursor.hpp"
#include "settings.hpp"
#include "transform_name.hpp"
#include "weft/error.hpp"
#include "weft/plan.hpp"

namespace weft::tool {

namespace {

struct variant {
  const char* engine;
  const char* out;
  bool in_place;
};

/// The same grid and splits count as the same for the halved side of a real transform.
bool lie_alike(const distribution& a, const distribution& b, int ranks) {
  return ranks == 1 || same_ownership(a.with_shape(b.shape()), b, ranks);
}

/// Boxes of many ranks are too long for a table.
std::string short_text(const distribution& d) { return d.is_bricks() ? "bricks" : d.chains_text(); }

class weft_contender : public contender {
 public:
  weft_contender(contender_label label, std::unique_ptr<plan> made, memory in, memory out)
      : contender(std::move(label)), plan_(std::move(made)), in_(std::move(in)), out_(std::move(out)) {}

  void prepare() override {
    if (!plan_->what()
             .modes.empty()) {  // input without the modes that are dropped, so that its squares are the output's
      fill_random(width(), out_, reals(side::output), plan_->rank());
      plan_->backward(out_.data(), in_.data());
      clear(out_, static_cast<std::size_t>(reals(side::output)) * real_bytes(width()));
      return;
    }
    clear(out_, static_cast<std::size_t>(reals(side::output)) * real_bytes(width()));
    fill_random(width(), in_, reals(side::input), plan_->rank());
  }
  void forward() override { plan_->forward(in_.data(), out_.data()); }

  [[nodiscard]] double input_squares() const override { return squares(side::input, in_); }
  [[nodiscard]] double output_squares() const override { return squares(side::output, out_); }

 private:
  [[nodiscard]] precision width() const { return plan_->what().element; }
  [[nodiscard]] integer reals(side which) const {
    const integer elements = which == side::input ? plan_->input_elements() : plan_->output_elements();
    return elements * (is_complex(plan_->what(), which) ? 2 : 1);
  }
  [[nodiscard]] double squares(side which, const memory& array) const {
    const problem& what = plan_->what();
    const auto kinds = kinds_of(what);
    const auto is_plain = [](line_kind k) { return k == line_kind::none || k == line_kind::c2c_forward; };
    if (std::ranges::all_of(kinds, is_plain)) {
      return weighted_squares(width(), array, reals(which), [](integer) { return 1.0; });
    }
    owned_cursor at(which == side::input ? plan_->input() : plan_->output(), plan_->rank());
    const integer parts = is_complex(what, which) ? 2 : 1;
    return weighted_squares(width(), array, reals(which), [&](integer i) {
      const double weight = weight_of(what, kinds, which, at.global());
      if (i % parts == parts - 1) at.advance();
      return weight;
    });
  }

  std::unique_ptr<plan> plan_;
  memory in_, out_;
};

contender_label label_of(const plan& made, const variant& v, int ranks) {
  contender_label label{.library = "weft", .is_weft = true, .in_place = v.in_place};
  label.keeps_distribution = lie_alike(made.input(), made.output(), ranks);
  label.by_messages = made.report().exchange != "window" && made.report().exchange != "ipc";
  label.variant = std::string(v.engine) == made.report().exchange ? v.engine : "auto: " + made.report().exchange;
  if (ranks == 1) label.variant = v.engine;  // nothing is exchanged
  if (v.in_place) label.variant += ", in place";
  label.variant += " " + short_text(made.input()) + " -> " + short_text(made.output());
  return label;
}

std::unique_ptr<contender> make_variant(problem what, const bench_setup& on, const variant& v,
                                        const std::string& as_peer) {
  what.out = v.out;
  options how;
  how.exchange = v.engine;
  how.threads = on.threads;
  how.device = on.device_name;
  how.in_place = v.in_place;
  auto made = std::make_unique<plan>(what, on.all.communicator(), how);
  memory in, out;
  if (made->report().arrays == "shared") {
    in = made->allocate(side::input);
    out = v.in_place ? in : made->allocate(side::output);
  } else {
    const auto bytes = [&](side which, integer elements) {
      const std::size_t one = is_complex(what, which) ? complex_bytes(what.element) : real_bytes(what.element);
      return static_cast<std::size_t>(elements) * one;
    };
    const std::size_t in_bytes = bytes(side::input, made->input_elements());
    const std::size_t out_bytes = bytes(side::output, made->output_elements());
    in = on.parts.input(v.in_place ? std::max(in_bytes, out_bytes) : in_bytes);
    out = v.in_place ? in : on.parts.output(out_bytes);
  }
  if (!on.all.all(in && out)) throw usage_error("not enough memory for the arrays; take smaller --shapes");
  contender_label label = label_of(*made, v, on.all.size());
  if (!as_peer.empty()) {
    label.library = as_peer;
    label.is_weft = false;
  }
  return std::make_unique<weft_contender>(std::move(label), std::move(made), std::move(in), std::move(out));
}

std::vector<variant> variants_of(const problem& what, int ranks, bool on_device) {
  const bool alike = what.kind != transform_kind::r2c && what.modes.empty();  // both sides are of one size
  std::vector<variant> variants;
  if (ranks == 1) {  // nothing is exchanged, and everything lies like the input
    variants.push_back({"auto", "any", false});
    if (alike) variants.push_back({"auto", "any", true});
    return variants;
  }
  for (const char* out : {"any", "same"}) {
    variants.push_back({"auto", out, false});
    if (on_device) {
      variants.push_back({"ipc", out, false});
      variants.push_back({"staged", out, false});
      if (alike) variants.push_back({"ipc", out, true});
      continue;
    }
    variants.push_back({"alltoallv", out, false});
    if (alike) variants.push_back({"alltoallv", out, true});
    variants.push_back({"p2p", out, false});
    variants.push_back({"streamed", out, false});
    variants.push_back({"window", out, false});
    if (alike) variants.push_back({"window", out, true});
  }
  return variants;
}

}  // namespace

contenders weft_contenders(const problem& what, const bench_setup& on, const std::string& as_peer) {
  contenders made;
  std::optional<std::string> first_reason;
  for (const variant& v : variants_of(what, on.all.size(), on.device != nullptr)) {
    try {
      made.all.push_back(make_variant(what, on, v, as_peer));
    } catch (const weft::error& e) {
      if (!first_reason) first_reason = e.what();
      made.notes.push_back(std::string("weft ") + v.engine + ", out = " + v.out + (v.in_place ? ", in place" : "") +
                           ": left out: " + e.what());
    }
  }
  if (made.all.empty()) throw usage_error(first_reason.value_or("nothing to measure"));
  return made;
}

}  // namespace weft::tool
