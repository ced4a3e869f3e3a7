// BVH (Biovision; Meredith and Maddock, "Motion capture file formats explained", 2001): a tree of
// joints with offsets and channels, then a line of numbers for each frame. Angles in degrees,
// turned in the order in which the channels stand.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "molejo/io/character_file.h"
#include "molejo/io/gltf_character.h"
#include "molejo/io/unique_names.h"
#include "molejo/math/interrupt.h"
#include "molejo/math/units.h"
#include "molejo/model/error.h"

namespace molejo {

namespace {

using motion::Channel;
using motion::Track;

constexpr int max_depth = 1'000;

struct BvhJoint {
  std::vector<int> channels;  // 0 to 2: x, y, z position; 3 to 5: x, y, z rotation
  std::size_t first = 0;      // of them in a frame
};

class BvhReader {
 public:
  BvhReader(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  motion::Character read() {
    expect("HIERARCHY");
    while (is_word(peek(), "ROOT")) next(), read_joints();
    if (character_.skeleton.joints.empty()) fail(peek(), "expected ROOT");
    expect("MOTION");
    read_motion();
    character_.problems = problems_.lines();
    return std::move(character_);
  }

 private:
  // Words are what spaces part, and braces.
  std::string_view peek() {
    if (!word_.empty()) return word_;
    while (at_ < text_.size() && is_space(text_[at_])) line_ += text_[at_++] == '\n' ? 1 : 0;
    std::size_t end = at_;
    if (end < text_.size() && (text_[end] == '{' || text_[end] == '}')) {
      ++end;
    } else {
      while (end < text_.size() && !is_space(text_[end]) && text_[end] != '{' && text_[end] != '}')
        ++end;
    }
    word_ = text_.substr(at_, end - at_);
    at_ = end;
    return word_;
  }
  std::string_view next() {
    const std::string_view word = peek();
    word_ = {};
    return word;
  }
  static bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r') || c == '\0'; }
  static bool is_word(std::string_view word, std::string_view known) {
    return word.size() == known.size() &&
           std::equal(word.begin(), word.end(), known.begin(), [](char a, char b) {
             return std::toupper(static_cast<unsigned char>(a)) ==
                    std::toupper(static_cast<unsigned char>(b));
           });
  }
  [[noreturn]] void fail(std::string_view word, const std::string& message) const {
    const std::string shown = clean_name(std::string(word.substr(0, 40)));
    throw InputError(fmt::format("{}:{}: {}: {}", file_, line_,
                                 word.empty() ? "the file ends" : "'" + shown + "'", message));
  }
  void expect(std::string_view word) {
    if (!is_word(peek(), word)) fail(peek(), fmt::format("expected {}", word));
    next();
  }
  double number() {
    const std::string_view word = peek();
    char buffer[64];
    const std::size_t n = word.size();
    const bool plain = n > 0 && n < sizeof buffer &&
                       word.find_first_not_of("0123456789+-.eE") == std::string_view::npos;
    if (!plain) fail(word, "expected a number");
    std::copy(word.begin(), word.end(), buffer);
    buffer[n] = '\0';
    char* end = nullptr;
    const double x = std::strtod(buffer, &end);
    if (*end != '\0' || !(std::fabs(x) <= 1e9)) fail(word, "expected a number up to 1e9");
    next();
    return x;
  }
  std::size_t whole(std::size_t most, const char* what) {
    const double x = number();
    if (!(x >= 0 && x <= static_cast<double>(most)) || x != std::floor(x)) {
      fail(fmt::format("{:g}", x), fmt::format("expected at most {} {}", most, what));
    }
    return static_cast<std::size_t>(x);
  }

  // One root with all below it.
  void read_joints() {
    std::vector<int> open{add_joint(-1, rest_of_line())};
    expect("{");
    while (!open.empty()) {
      const std::string_view word = next();
      if (word == "}") {
        open.pop_back();
      } else if (is_word(word, "JOINT") || is_word(word, "END")) {
        const bool end = is_word(word, "END");
        std::string name = rest_of_line();
        if (end) name = character_.skeleton[open.back()].name + "_end";
        if (!end && open.size() >= max_depth)
          fail(word, fmt::format("expected at most {} joints below each other", max_depth));
        open.push_back(add_joint(open.back(), name));
        expect("{");
      } else if (is_word(word, "OFFSET")) {
        Vec3 offset;
        for (int i = 0; i < 3; ++i) offset[i] = number();
        character_.skeleton.joints[static_cast<std::size_t>(open.back())].rest.translation = offset;
      } else if (is_word(word, "CHANNELS")) {
        read_channels(bvh_[static_cast<std::size_t>(open.back())]);
      } else {
        fail(word, "expected OFFSET, CHANNELS, JOINT, End Site or a brace");
      }
    }
  }

  // Names may hold spaces.
  std::string rest_of_line() {
    const std::size_t end = std::min(text_.find_first_of("\n{", at_), text_.size());
    std::string name(text_.substr(at_, end - at_));
    at_ = end;
    const auto space = [](char c) { return is_space(c); };
    name.erase(name.begin(), std::find_if_not(name.begin(), name.end(), space));
    name.erase(std::find_if_not(name.rbegin(), name.rend(), space).base(), name.end());
    return clean_name(name);
  }

  int add_joint(int parent, std::string name) {
    if (character_.skeleton.size() >= max_skeleton_joints) {
      fail(name, fmt::format("expected at most {} joints", max_skeleton_joints));
    }
    if (name.empty()) {
      name = fmt::format("joint_{}", character_.skeleton.size());
      problems_.add("a joint without a name: named joint_N");
    }
    std::string unique = names_.add(name, [&](int k) { return fmt::format("{}_{}", name, k); });
    if (unique != name) problems_.add("a joint with the name of another: numbered");
    character_.skeleton.joints.push_back({std::move(unique), parent, {}});
    bvh_.emplace_back();
    return character_.skeleton.size() - 1;
  }

  void read_channels(BvhJoint& joint) {
    if (!joint.channels.empty()) fail("CHANNELS", "a joint has them once");
    const std::size_t count = whole(6, "channels");
    const std::string known[] = {"Xposition", "Yposition", "Zposition",
                                 "Xrotation", "Yrotation", "Zrotation"};
    joint.first = channels_;
    for (std::size_t i = 0; i < count; ++i) {
      const std::string word(next());
      const auto found = std::find_if(std::begin(known), std::end(known),
                                      [&](const std::string& k) { return is_word(word, k); });
      if (found == std::end(known)) fail(word, unknown_word("channel", word.substr(0, 40), known));
      const int channel = static_cast<int>(found - std::begin(known));
      if (std::count(joint.channels.begin(), joint.channels.end(), channel) > 0) {
        fail(word, "a joint has each channel once");
      }
      joint.channels.push_back(channel);
    }
    channels_ += count;
  }

  void read_motion() {
    if (is_word(peek(), "Frames"))
      next(), expect(":");
    else
      expect("Frames:");
    const std::size_t most = max_clip_numbers / std::max<std::size_t>(channels_, 1);
    std::size_t frames = whole(most, "frames for these channels");
    expect("Frame");
    if (is_word(peek(), "Time"))
      next(), expect(":");
    else
      expect("Time:");
    double step = number();
    if (!(step >= 1e-6 && step < 1e4)) {
      problems_.add(fmt::format("frame time {:g}: taken as 1/30 s", step));
      step = 1.0 / 30;
    }
    // a number takes two bytes at least: no more memory than the file can fill
    std::vector<double> values;
    values.reserve(std::min(frames * channels_, (text_.size() - at_) / 2 + 1));
    for (std::size_t i = 0; i < frames * channels_; ++i) {
      check_interrupt();
      if (peek().empty()) {
        frames = i / channels_;
        problems_.add(fmt::format("the file ends after {} frames", frames));
        break;
      }
      values.push_back(number());
    }
    if (!peek().empty()) problems_.add("more numbers than frames: left out");
    if (frames > 0 && channels_ > 0) make_clip(frames, step, values);
  }

  void make_clip(std::size_t frames, double step, const std::vector<double>& values) {
    motion::Clip clip;
    clip.name = "motion";
    clip.times.emplace_back();
    for (std::size_t k = 0; k < frames; ++k) {
      clip.times[0].push_back(static_cast<double>(k) * step);
    }
    for (std::size_t j = 0; j < bvh_.size(); ++j) {
      check_interrupt();
      const BvhJoint& joint = bvh_[j];
      const Vec3 offset = character_.skeleton.joints[j].rest.translation;
      Track position{.joint = static_cast<int>(j), .channel = Channel::translation, .values = {}};
      Track rotation{.joint = static_cast<int>(j), .channel = Channel::rotation, .values = {}};
      bool moves = false, turns = false;
      for (std::size_t k = 0; k < frames; ++k) {
        const double* v = values.data() + k * channels_ + joint.first;
        // positions stand for the offset, where there are any
        Vec3 p = offset;
        Quat q;
        for (std::size_t c = 0; c < joint.channels.size(); ++c) {
          const int channel = joint.channels[c];
          if (channel < 3) {
            p[channel] = v[c], moves = true;
          } else {
            Vec3 turn;
            turn[channel - 3] = radians(v[c]);
            q = q * exp_quat(turn), turns = true;
          }
        }
        q = motion::safe_unit(q);
        position.values.insert(position.values.end(), {p.x, p.y, p.z});
        rotation.values.insert(rotation.values.end(), {q.w, q.x, q.y, q.z});
      }
      if (moves) clip.tracks.push_back(std::move(position));
      if (turns) clip.tracks.push_back(std::move(rotation));
    }
    if (!clip.tracks.empty()) character_.clips.push_back(std::move(clip));
  }

  std::string_view text_, word_;
  const std::string& file_;
  std::size_t at_ = 0;
  int line_ = 1;
  std::size_t channels_ = 0;
  std::vector<BvhJoint> bvh_;
  UniqueNames names_;
  Problems problems_;
  motion::Character character_;
};

}  // namespace

motion::Character parse_bvh(std::string_view text, const std::string& file) {
  if (text.substr(0, 3) == "\xef\xbb\xbf") text.remove_prefix(3);
  return BvhReader(text, file).read();
}

}  // namespace molejo
