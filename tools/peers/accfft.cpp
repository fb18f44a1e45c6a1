// SPDX-License-Identifier: BSD-3-Clause
// AccFFT: slabs or pencils along the first axes of three; the output is always left distributed along the next.
#include <accfft.h>
#include <accfftf.h>

#include "peers/fftw.hpp"
#include "peers/mesh.hpp"

namespace weft::tool::peers {

peer accfft();

namespace {

template <class Real>
struct api;
template <>
struct api<double> {
  using complex = Complex;
  using plan = accfft_plan;
  static constexpr auto size_c2c = accfft_local_size_dft_c2c;
  static constexpr auto size_r2c = accfft_local_size_dft_r2c;
  static plan* plan_r2c(int* n, double* in, double* out, MPI_Comm on) { return accfft_plan_dft_3d_r2c(n, in, out, on); }
  static plan* plan_c2c(int* n, complex* in, complex* out, MPI_Comm on) {
    return accfft_plan_dft_3d_c2c(n, in, out, on);
  }
  static void execute_r2c(plan* with, double* in, complex* out) { accfft_execute_r2c(with, in, out); }
  static void execute_c2c(plan* with, complex* in, complex* out) { accfft_execute_c2c(with, ACCFFT_FORWARD, in, out); }
};
template <>
struct api<float> {
  using complex = Complexf;
  using plan = accfft_planf;
  static constexpr auto size_c2c = accfft_local_size_dft_c2cf;
  static constexpr auto size_r2c = accfft_local_size_dft_r2cf;
  static plan* plan_r2c(int* n, float* in, float* out, MPI_Comm on) { return accfft_plan_dft_3d_r2cf(n, in, out, on); }
  static plan* plan_c2c(int* n, complex* in, complex* out, MPI_Comm on) {
    return accfft_plan_dft_3d_c2cf(n, in, out, on);
  }
  static void execute_r2c(plan* with, float* in, complex* out) { accfft_execute_r2cf(with, in, out); }
  static void execute_c2c(plan* with, complex* in, complex* out) { accfft_execute_c2cf(with, ACCFFT_FORWARD, in, out); }
};

struct local_part {
  int shape[3], in[3], in_first[3], out[3], out_first[3];
  int bytes = 0;  // to allocate

  [[nodiscard]] static integer product(const int (&n)[3]) { return integer{n[0]} * n[1] * n[2]; }
};

template <class Real>
local_part part_of(const problem& what, const mesh& on) {
  local_part p;
  for (std::size_t l = 0; l < 3; ++l) p.shape[l] = static_cast<int>(what.shape[l]);
  const auto size = what.kind == transform_kind::r2c ? api<Real>::size_r2c : api<Real>::size_c2c;
  p.bytes = size(p.shape, p.in, p.in_first, p.out, p.out_first, *on.cart);
  return p;
}

template <class Real>
std::function<void()> forward_of(local_part& p, const peer_transform& t, const mesh& on, bool real) {
  using complex = typename api<Real>::complex;
  auto* const in = reinterpret_cast<complex*>(t.in.memory.data());
  auto* const reals = reinterpret_cast<Real*>(in);
  auto* const out = reinterpret_cast<complex*>(t.out.memory.data());
  auto* const made = real ? api<Real>::plan_r2c(p.shape, reals, reinterpret_cast<Real*>(out), *on.cart)
                          : api<Real>::plan_c2c(p.shape, in, out, *on.cart);
  if (made == nullptr) return {};
  const auto destroy = [cart = on.cart](auto* old) { accfft_destroy_plan(old); };
  const std::shared_ptr<typename api<Real>::plan> plan(made, destroy);
  if (real) return [=] { api<Real>::execute_r2c(plan.get(), reals, out); };
  return [=] { api<Real>::execute_c2c(plan.get(), in, out); };
}

template <class Real>
void add_variant(contenders& made, const problem& what, const bench_setup& on, const mesh& where, bool in_place) {
  const bool real = what.kind == transform_kind::r2c;
  local_part p = part_of<Real>(what, where);
  peer_transform t{
      {.reals = (real ? 1 : 2) * local_part::product(p.in)}, {.reals = 2 * local_part::product(p.out)}, {}};
  if (real) {
    t.out.weight = [n = what.shape.back(), half = p.out[2], first = p.out_first[2]](integer i) {
      return times_in_spectrum(first + i / 2 % half, n);
    };
  }
  t.in.memory = on.parts.input(static_cast<std::size_t>(p.bytes));
  t.out.memory = in_place ? t.in.memory : on.parts.output(static_cast<std::size_t>(p.bytes));
  contender_label label{.library = "accfft", .keeps_distribution = on.all.size() == 1, .in_place = in_place};
  label.variant = where.text + (in_place ? ", in place" : "");
  if (on.all.all(t.in.memory && t.out.memory)) {
    const planning<Real> limits(on.threads);
    t.forward = forward_of<Real>(p, t, where, real);
  }
  if (!on.all.all(t.forward != nullptr)) {
    made.notes.push_back("accfft " + label.variant + ": left out: it made no plan, or has no memory for it");
    return;
  }
  made.all.push_back(std::make_unique<peer_contender>(std::move(label), what.element, std::move(t), on.all.rank()));
}

contenders make(const problem& what, const bench_setup& on) {
  contenders made;
  if (what.shape.size() != 3) {
    made.notes.emplace_back("accfft: left out: it takes three axes");
    return made;
  }
  for (mesh& where : mesh_shapes(on.all.size())) {
    MPI_Comm cart = MPI_COMM_NULL;
    accfft_create_comm(on.all.communicator(), where.shape.data(), &cart);
    where.cart = owned(cart);
    for (const bool in_place : {false, true}) {
      if (in_place && what.kind == transform_kind::r2c) continue;  // would need padded rows
      if (what.element == precision::f32) {
        add_variant<float>(made, what, on, where, in_place);
      } else {
        add_variant<double>(made, what, on, where, in_place);
      }
    }
  }
  return made;
}

}  // namespace

peer accfft() { return {"accfft", "AccFFT, measured plans", start_fftw, make}; }

}  // namespace weft::tool::peers
