// SPDX-License-Identifier: BSD-3-Clause
#include "sphere.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "check.hpp"
#include "field.hpp"
#include "report.hpp"
#include "weft/error.hpp"
#include "weft/plane_waves.hpp"

namespace weft::tool {

namespace {

/// Waves, their field and its coefficients.
template <class Real>
class wave_trial {
 public:
  wave_trial(const run_settings& asked, const ranks& all)
      : asked_(asked),
        all_(all),
        waves_(asked.what.shape, asked.sphere, all.communicator(), asked.how, asked.what.batch),
        array_(waves_.make_field()),
        c_(static_cast<std::size_t>(waves_.coefficients())),
        view_(array_.how(), array_.rank(), asked.what, {asked.what.element, true}, array_.data()) {}

  [[nodiscard]] const plane_waves<Real>& waves() const { return waves_; }

  void check(run_report& found) {
    if (asked_.check == check_kind::none) return;
    view_.fill(asked_.seed);
    waves_.to_waves(array_, c_);
    found.input_kept = all_.sum(view_.compare_with_input(asked_.seed, 1).difference) == 0;
    found.ok = *found.input_kept;
    if (asked_.check == check_kind::full) {
      found.error_forward = against_serial().relative(all_);
      found.ok = found.ok && *found.error_forward <= found.tolerance;
    }
    std::vector<std::complex<Real>> again(c_.size());
    waves_.to_field(c_, array_);
    waves_.to_waves(array_, again);
    deviation back;
    for (std::size_t i = 0; i < c_.size(); ++i) {
      back.add({std::norm(std::complex<double>(again[i] - c_[i])), std::norm(std::complex<double>(c_[i]))});
    }
    found.error_roundtrip = back.relative(all_);
    found.ok = found.ok && *found.error_roundtrip <= found.tolerance;
  }

  void measure(run_report& found) {
    std::vector<double> there, back;
    view_.fill(asked_.seed);
    const noise_watch watch(all_);
    for (int k = -asked_.warmup; k < asked_.reps; ++k) {
      const double to_waves = time_of(all_, [this] { waves_.to_waves(array_, c_); });
      const double to_field = time_of(all_, [this] { waves_.to_field(c_, array_); });
      if (k < 0) continue;
      there.push_back(to_waves);
      back.push_back(to_field);
    }
    found.seen = watch.stop();
    found.forward = summary_of(there);
    found.backward = summary_of(back);
  }

 private:
  /// Of the coefficients of the random field, which are scaled.
  [[nodiscard]] deviation against_serial() const {
    const extents& shape = asked_.what.shape;
    // By their places among all modes.
    std::vector<std::pair<integer, std::size_t>> places;
    for (std::size_t i = 0; i < waves_.waves().size(); ++i) {
      integer place = 0;
      for (std::size_t l = 0; l < shape.size(); ++l) {
        const integer k = waves_.waves()[i][l];
        place = place * shape[l] + (k < 0 ? k + shape[l] : k);
      }
      places.emplace_back(place, i);
    }
    std::ranges::sort(places);
    const double scale = 1 / transform_length(asked_.what);
    deviation total;
    for (integer b = 0; b < asked_.what.batch; ++b) {
      const auto* const c = c_.data() + static_cast<std::size_t>(b) * waves_.waves().size();
      auto next = places.begin();
      each_serial_chunk(asked_.what, shape, asked_.seed, b, all_, [&](integer first, serial_chunk expected) {
        const integer end = first + static_cast<integer>(expected.size());
        for (; next != places.end() && next->first < end; ++next) {
          const std::complex<double> answer = scale * expected[static_cast<std::size_t>(next->first - first)];
          total.add({std::norm(std::complex<double>(c[next->second]) - answer), std::norm(answer)});
        }
      });
    }
    return total;
  }

  const run_settings& asked_;
  const ranks& all_;
  plane_waves<Real> waves_;
  array<std::complex<Real>> array_;
  std::vector<std::complex<Real>> c_;
  field view_;
};

template <class Real>
run_report try_waves(const run_settings& asked, const ranks& all) {
  run_report found;
  try {
    std::optional<wave_trial<Real>> made;
    found.plan_seconds = time_of(all, [&] { made.emplace(asked, all); });
    found.ranks = all.size();
    found.grid = std::to_string(all.size());
    found.in = made->waves().make_field().how().text();
    found.out = fmt::format("{} waves in {} columns",
                            static_cast<integer>(all.sum(static_cast<double>(made->waves().waves().size()))),
                            made->waves().columns());
    found.plan = made->waves().report();
    found.tolerance = tolerance(asked.what) + 2 * asked.how.message_tolerance;
    made->check(found);
    made->measure(found);
  } catch (const weft::error& e) {
    throw usage_error(e.what());
  }
  found.plan.messages = all.max(found.plan.messages);
  found.plan.bytes = all.max(found.plan.bytes);
  found.plan.workspace_bytes = all.max(found.plan.workspace_bytes);
  return found;
}

}  // namespace

run_report run_sphere(const run_settings& asked, const ranks& all) {
  if (asked.what.kind != transform_kind::c2c || !asked.what.kinds.empty()) {
    throw usage_error("--sphere is of plane waves, which --transform c2c transforms");
  }
  return asked.what.element == precision::f32 ? try_waves<float>(asked, all) : try_waves<double>(asked, all);
}

}  // namespace weft::tool
