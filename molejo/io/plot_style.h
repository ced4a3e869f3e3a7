// Colours that all drawn plots share.
#pragma once

#include <array>

namespace molejo::plot_style {

inline constexpr const char* ink = "#24292f";
inline constexpr const char* faint_ink = "#57606a";
// told apart also by most colour-blind eyes (after Okabe and Ito, 2008)
inline constexpr std::array series_colors{"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                          "#8a6d00", "#56b4e9", "#6f42c1", "#24292f"};

}  // namespace molejo::plot_style
