// SPDX-License-Identifier: BSD-3-Clause
// PFFT: slabs or pencils along the first axes; transposed out leaves the next ones distributed.
#include <pfft.h>

#include "peers/mesh.hpp"
#include "peers/peer.hpp"
#include "peers/peer_contender.hpp"

namespace weft::tool::peers {

peer pfft();

namespace {

template <class Real>
struct api;
template <>
struct api<double> {
  using complex = pfft_complex;
  static constexpr auto size_c2c = pfft_local_size_dft;
  static constexpr auto size_r2c = pfft_local_size_dft_r2c;
  static constexpr auto plan_c2c = pfft_plan_dft;
  static constexpr auto plan_r2c = pfft_plan_dft_r2c;
  static constexpr auto execute = pfft_execute;
  static constexpr auto destroy = pfft_destroy_plan;
  static constexpr auto plan_with_threads = pfft_plan_with_nthreads;
};
template <>
struct api<float> {
  using complex = pfftf_complex;
  static constexpr auto size_c2c = pfftf_local_size_dft;
  static constexpr auto size_r2c = pfftf_local_size_dft_r2c;
  static constexpr auto plan_c2c = pfftf_plan_dft;
  static constexpr auto plan_r2c = pfftf_plan_dft_r2c;
  static constexpr auto execute = pfftf_execute;
  static constexpr auto destroy = pfftf_destroy_plan;
  static constexpr auto plan_with_threads = pfftf_plan_with_nthreads;
};

using sizes = std::vector<std::ptrdiff_t>;

/// PFFT takes a mesh of one axis for slabs.
std::vector<mesh> meshes_for(const problem& what, const ranks& all) {
  std::vector<mesh> meshes;
  for (mesh& m : mesh_shapes(all.size())) {
    if (m.shape.back() == 1) m.shape.pop_back();
    if (m.shape.size() >= what.shape.size()) continue;
    MPI_Comm made = MPI_COMM_NULL;
    pfft_create_procmesh(static_cast<int>(m.shape.size()), all.communicator(), m.shape.data(), &made);
    m.cart = owned(made);
    meshes.push_back(std::move(m));
  }
  return meshes;
}

struct local_part {
  sizes shape, in, in_first, out, out_first;
  std::ptrdiff_t room = 0;  // complex numbers to allocate
};

template <class Real>
local_part part_of(const problem& what, const mesh& on, unsigned flags) {
  local_part p;
  p.shape.assign(what.shape.begin(), what.shape.end());
  for (sizes* s : {&p.in, &p.in_first, &p.out, &p.out_first}) s->resize(p.shape.size());
  const auto size = what.kind == transform_kind::r2c ? api<Real>::size_r2c : api<Real>::size_c2c;
  p.room = size(static_cast<int>(p.shape.size()), p.shape.data(), *on.cart, flags, p.in.data(), p.in_first.data(),
                p.out.data(), p.out_first.data());
  return p;
}

integer product(const sizes& n) {
  integer result = 1;
  for (const std::ptrdiff_t extent : n) result *= extent;
  return result;
}

/// A transposed output has its first axis moved behind as many others as the mesh has axes.
peer_array output_array(const local_part& p, bool real, bool transposed, std::size_t mesh_axes) {
  peer_array out{.reals = 2 * product(p.out)};
  if (!real) return out;
  const integer n = p.shape.back(), half = p.out.back(), first = p.out_first.back();
  const integer stride = transposed && mesh_axes + 1 == p.shape.size() ? p.out.front() : 1;
  out.weight = [=](integer i) { return times_in_spectrum(first + i / 2 / stride % half, n); };
  return out;
}

template <class Real>
void add_variant(contenders& made, const problem& what, const bench_setup& on, const mesh& where, bool transposed,
                 bool in_place) {
  using complex = typename api<Real>::complex;
  const bool real = what.kind == transform_kind::r2c;
  const unsigned layout = transposed ? PFFT_TRANSPOSED_OUT : PFFT_TRANSPOSED_NONE;
  const local_part p = part_of<Real>(what, where, layout);
  peer_transform t{
      {.reals = (real ? 1 : 2) * product(p.in)}, output_array(p, real, transposed, where.shape.size()), {}};
  const std::size_t bytes = 2 * sizeof(Real) * static_cast<std::size_t>(std::max<std::ptrdiff_t>(1, p.room));
  t.in.memory = on.parts.input(bytes);
  t.out.memory = in_place ? t.in.memory : on.parts.output(bytes);
  contender_label label{.library = "pfft", .keeps_distribution = !transposed, .in_place = in_place};
  label.variant = where.text + (transposed ? ", transposed" : "") + (in_place ? ", in place" : "");
  if (on.all.all(t.in.memory && t.out.memory)) {
    api<Real>::plan_with_threads(on.threads);
    const unsigned flags = layout | PFFT_MEASURE | PFFT_TUNE | PFFT_DESTROY_INPUT;
    const int axes = static_cast<int>(p.shape.size());
    auto* const in = reinterpret_cast<complex*>(t.in.memory.data());
    auto* const out = reinterpret_cast<complex*>(t.out.memory.data());
    auto* const plan = real ? api<Real>::plan_r2c(axes, p.shape.data(), reinterpret_cast<Real*>(in), out, *where.cart,
                                                  PFFT_FORWARD, flags)
                            : api<Real>::plan_c2c(axes, p.shape.data(), in, out, *where.cart, PFFT_FORWARD, flags);
    api<Real>::plan_with_threads(1);  // FFTW keeps the number, and others plan with it too
    if (plan != nullptr) {
      const auto destroy = [cart = where.cart](auto* old) { api<Real>::destroy(old); };
      t.forward = [held = std::shared_ptr<std::remove_pointer_t<decltype(plan)>>(plan, destroy)] {
        api<Real>::execute(held.get());
      };
    }
  }
  if (!on.all.all(t.forward != nullptr)) {
    made.notes.push_back("pfft " + label.variant + ": left out: it made no plan, or has no memory for it");
    return;
  }
  made.all.push_back(std::make_unique<peer_contender>(std::move(label), what.element, std::move(t), on.all.rank()));
}

contenders make(const problem& what, const bench_setup& on) {
  contenders made;
  if (what.shape.size() < 2) {
    made.notes.emplace_back("pfft: left out: it takes two axes or more");
    return made;
  }
  for (const mesh& where : meshes_for(what, on.all)) {
    for (const bool transposed : {false, true}) {
      for (const bool in_place : {false, true}) {
        if (in_place && what.kind == transform_kind::r2c) continue;  // would need padded rows
        if (what.element == precision::f32) {
          add_variant<float>(made, what, on, where, transposed, in_place);
        } else {
          add_variant<double>(made, what, on, where, transposed, in_place);
        }
      }
    }
  }
  return made;
}

void start() {
  pfft_init();
  pfftf_init();
}

}  // namespace

peer pfft() { return {"pfft", "PFFT, measured and tuned plans", start, make}; }

}  // namespace weft::tool::peers
