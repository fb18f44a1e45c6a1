// SPDX-License-Identifier: BSD-3-Clause
#include "local/copying_kernel.hpp"

#include <type_traits>

#include "local/fused.hpp"
#include "local/staging.hpp"

namespace weft::local {

namespace {

template <class Real, element_type Type>
class copying_kernel final : public kernel {
 public:
  explicit copying_kernel(const line_problem& problem)
      : length_(problem.length),
        lanes_(problem.lanes),
        loading_(fused<Real>(problem.loading, Type, length_)),
        storing_(fused<Real>(problem.storing, Type, length_)),
        scale_(static_cast<Real>(scale_of(problem))) {}

  [[nodiscard]] std::size_t scratch_bytes() const override {
    return static_cast<std::size_t>(length_ * lanes_) * sizeof(element);
  }

  void transform(const bundle& from, const bundle& to, std::byte* scratch) const override {
    const staged<element> lines{reinterpret_cast<element*>(scratch), lanes_, 1};
    load(from, lines);
    if constexpr (Type == element_type::complex) {
      apply(loading_, lines, from.lanes);
      apply(storing_, lines, from.lanes);
    }
    store(lines, to, scale_);
  }

 private:
  using element = std::conditional_t<Type == element_type::real, Real, std::complex<Real>>;

  integer length_;
  int lanes_;
  fused_operations<Real> loading_, storing_;
  Real scale_;
};

template <class Real>
std::unique_ptr<kernel> make(const line_problem& problem, element_type type) {
  if (type == element_type::real) return std::make_unique<copying_kernel<Real, element_type::real>>(problem);
  return std::make_unique<copying_kernel<Real, element_type::complex>>(problem);
}

}  // namespace

std::unique_ptr<kernel> make_copying_kernel(const line_problem& problem, element_type type) {
  return problem.element == precision::f32 ? make<float>(problem, type) : make<double>(problem, type);
}

}  // namespace weft::local
