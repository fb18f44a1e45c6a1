// What the Fortran module needs besides weft.h: communicators as Fortran has them, and axes in Fortran's order.
//
// Fortran's first axis runs fastest, Weft's last. So the module turns every list of axes round, and nothing moves in
// memory. Options keep what the user said, in his order, until it is known how many axes there are: here.
#include "c/fortran.h"

#include <algorithm>
#include <sstream>

#include "c/handles.hpp"

using namespace weft::c;

namespace {

std::string turned_list(const std::string& list, char separator, const char* between) {
  std::vector<std::string> words;
  std::stringstream text(list);
  for (std::string word; std::getline(text, word, separator);) {
    word.erase(0, word.find_first_not_of(' '));
    word.erase(word.find_last_not_of(' ') + 1);
    if (!word.empty()) words.push_back(word);
  }
  std::string all;
  for (auto word = words.rbegin(); word != words.rend(); ++word) all += (all.empty() ? "" : between) + *word;
  return all;
}

/// "[b0 c1 *]@2x3" becomes "[* c1 b0]@2x3", "bricks{0:4,0:8; 4:8,0:8}" each box turned round; words stay.
std::string turned(const std::string& text) {
  const bool bricks = text.starts_with("bricks{");
  const auto open = text.find(bricks ? '{' : '['), close = text.find(bricks ? '}' : ']');
  if (open == std::string::npos || close == std::string::npos || close < open) return text;
  const std::string inside = text.substr(open + 1, close - open - 1);
  std::string result;
  if (bricks) {
    std::stringstream boxes(inside);
    for (std::string box; std::getline(boxes, box, ';');) {
      result += (result.empty() ? "" : "; ") + turned_list(box, ',', ",");
    }
  } else {
    result = turned_list(inside, ' ', " ");
  }
  return text.substr(0, open + 1) + result + text.substr(close);
}

void turn(weft::layout& of) {
  // The stride of a batch is the last one in Fortran, the first one here.
  std::ranges::reverse(of.strides);
}

/// Axes count from 1 in Fortran; 0 or less is the default there.
weft_options turned(const weft_options& of, int axes) {
  weft_options result = of;
  for (auto* side : {&result.what.in, &result.what.out}) {
    if (!side->exact()) *side = turned(side->text());
  }
  for (int& axis : result.what.axes) axis = axes - axis;
  result.what.real_axis = result.what.real_axis > 0 ? axes - result.what.real_axis : -1;
  turn(result.how.input_layout);
  turn(result.how.output_layout);
  return result;
}

}  // namespace

int weft_f_plan_create(int axes, const int64_t* shape, int transform, int precision, MPI_Fint on,
                       const weft_options* options, weft_plan** made) {
  weft_options ours;
  const int bad = guarded([&] {
    if (options != nullptr) ours = turned(*options, axes);
  });
  if (bad != WEFT_OK) return bad;
  return weft_plan_create(axes, shape, transform, precision, MPI_Comm_f2c(on), &ours, made);
}

int weft_f_plan_in_place(weft_plan* of, int backward, void* x) {
  return backward != 0 ? weft_plan_backward(of, x, x) : weft_plan_forward(of, x, x);
}

int weft_f_plan_arrays(weft_plan* of, int backward, const weft_array* in, const weft_array* out) {
  return (backward != 0 ? weft_plan_backward : weft_plan_forward)(of, weft_array_data(in), weft_array_data(out));
}

int weft_f_explain(int axes, const int64_t* shape, int transform, int precision, const weft_options* options, int ranks,
                   char** text) {
  weft_options ours;
  const int bad = guarded([&] {
    if (options != nullptr) ours = turned(*options, axes);
  });
  return bad != WEFT_OK ? bad : weft_explain(axes, shape, transform, precision, &ours, ranks, text);
}

int weft_f_redistribution_create(const weft_distribution* from, const weft_distribution* to, size_t element_bytes,
                                 MPI_Fint on, const weft_options* options, weft_redistribution** made) {
  weft_options ours;
  const int bad = guarded([&] {
    if (options != nullptr) ours = turned(*options, from == nullptr ? 0 : from->value.axes());
  });
  if (bad != WEFT_OK) return bad;
  return weft_redistribution_create(from, to, element_bytes, MPI_Comm_f2c(on), &ours, made);
}

int weft_f_distribution_bricks_of(int axes, const int64_t* shape, const int64_t* low, const int64_t* high, MPI_Fint on,
                                  weft_distribution** made) {
  return weft_distribution_bricks_of(axes, shape, low, high, MPI_Comm_f2c(on), made);
}

int weft_f_halo_create(const weft_distribution* how, const int64_t* before, const int64_t* after, int64_t batch,
                       int precision, int parts, MPI_Fint on, weft_halo** made) {
  return weft_halo_create(how, before, after, batch, precision, parts, MPI_Comm_f2c(on), made);
}

int weft_f_measure_machine(MPI_Fint on, const char* wisdom_file, char** text) {
  return weft_measure_machine(MPI_Comm_f2c(on), wisdom_file, text);
}

int weft_f_distribution_parse(const char* text, int axes, const int64_t* shape, int ranks, weft_distribution** made) {
  std::string ours;
  const int bad = guarded([&] { ours = turned(&existing(text, "text")); });
  return bad != WEFT_OK ? bad : weft_distribution_parse(ours.c_str(), axes, shape, ranks, made);
}

int weft_f_distribution_text(const weft_distribution* of, char** text) {
  return guarded([&] { give(text, turned(existing(of, "the distribution").value.text())); });
}
