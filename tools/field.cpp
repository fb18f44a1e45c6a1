// SPDX-License-Identifier: BSD-3-Clause
#include "field.hpp"

#include <cmath>

#include "owned_cursor.hpp"
#include "random_element.hpp"

namespace weft::tool {

double deviation::relative(const ranks& all) const {
  const double difference_sum = all.sum(difference);
  const double expected_sum = all.sum(expected);
  return std::sqrt(expected_sum > 0 ? difference_sum / expected_sum : difference_sum);
}

void field::fill(std::uint64_t seed) const {
  with_typed_pointer(*this, [&](auto* element) {
    using type = std::remove_pointer_t<decltype(element)>;
    for (integer b = 0; b < batch_; ++b) {
      const random_array random(seed, b);
      auto* here = element + b * distance_;
      for (owned_cursor at(*how_, rank_); !at.done(); at.advance(), here += step_) {
        *here = random.template element<type>(at.global());
      }
    }
  });
}

deviation field::compare_with_input(std::uint64_t seed, double scale) const {
  return with_typed_pointer(*this, [&](const auto* element) {
    using type = std::remove_const_t<std::remove_pointer_t<decltype(element)>>;
    deviation total;
    for (integer b = 0; b < batch_; ++b) {
      const random_array random(seed, b);
      const auto* here = element + b * distance_;
      for (owned_cursor at(*how_, rank_); !at.done(); at.advance(), here += step_) {
        const std::complex<double> got(*here), input(random.template element<type>(at.global()));
        total.add({std::norm(got - scale * input), std::norm(scale * input)});
      }
    }
    return total;
  });
}

}  // namespace weft::tool
