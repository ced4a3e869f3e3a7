#include "molejo/io/gallery_page.h"

namespace molejo {

const std::string_view gallery_style = R"css(
:root { --ink: #1f2328; --faint: #59636e; --rule: #e1e4e8; --ground: #f6f7f8; --accent: #0b6e80; }
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink);
  font: 16px/1.5 system-ui, 'Segoe UI', 'DejaVu Sans', Helvetica, Arial, sans-serif; }
header, main { max-width: 1320px; margin: 0 auto; padding: 0 24px; }
header { padding-top: 36px; padding-bottom: 12px; }
h1 { margin: 0; font-size: 30px; font-weight: 650; letter-spacing: -0.01em; }
header p { margin: 4px 0 0; color: var(--faint); }
.card { background: #fff; border: 1px solid var(--rule); border-radius: 10px; padding: 22px 24px;
  margin: 18px 0; }
h2 { margin: 0; font-size: 20px; font-weight: 650; }
.description { margin: 4px 0 0; color: var(--faint); max-width: 80ch; }
.failure { margin: 8px 0 0; color: #a40e26; }
.views { display: grid; grid-template-columns: 1fr 1.12fr; gap: 28px; margin: 16px 0 0;
  align-items: start; }
@media (max-width: 900px) { .views { grid-template-columns: 1fr; } }
canvas { display: block; width: 100%; aspect-ratio: 16 / 10; border-radius: 6px;
  background: #eef0f2; cursor: grab; touch-action: pan-y; }
canvas:active { cursor: grabbing; }
.controls { display: flex; align-items: center; gap: 12px; margin-top: 10px; }
.controls button { flex: none; width: 34px; height: 34px; padding: 8px; border: 0;
  border-radius: 50%; background: var(--accent); color: #fff; cursor: pointer; }
.controls button svg { display: block; width: 18px; height: 18px; fill: currentColor; }
.controls input { flex: 1; min-width: 0; accent-color: var(--accent); }
.controls output { flex: none; min-width: 5.5em; text-align: right; color: var(--faint);
  font-variant-numeric: tabular-nums; }
.plot img { display: block; width: 100%; height: auto; }
.views > div { position: sticky; top: 16px; }
dl { display: grid; grid-template-columns: repeat(auto-fill, minmax(130px, 1fr)); gap: 10px 20px;
  margin: 16px 0 0; padding-top: 14px; border-top: 1px solid var(--rule); }
sup { line-height: 0; font-size: 0.75em; }
dt { font-size: 13px; color: var(--faint); }
dd { margin: 0; font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
.files { margin: 14px 0 0; display: flex; flex-wrap: wrap; gap: 4px 22px; }
a { color: var(--accent); text-decoration: none; }
a:hover { text-decoration: underline; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
)css";

// A rasteriser of its own: triangles with a depth buffer, shaded at the vertices, at twice the size
// that is shown. Ground planes and bodies at rest are drawn once for each view and kept.
const std::string_view gallery_script = R"js(
'use strict';
const add = (a, b, f = 1) => [a[0] + f * b[0], a[1] + f * b[1], a[2] + f * b[2]];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) =>
  [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const unit = a => { const l = Math.hypot(...a) || 1; return a.map(x => x / l); };
const light = unit([0.3, -0.45, 0.84]);

// rotation matrix (row major) of the quaternion at s[o..o+3], scalar first
function matrix(s, o) {
  const n = 1 / Math.hypot(s[o], s[o + 1], s[o + 2], s[o + 3]);
  const w = s[o] * n, x = s[o + 1] * n, y = s[o + 2] * n, z = s[o + 3] * n;
  return [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y),
    2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
    2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)];
}
const turn = (R, v) => [R[0] * v[0] + R[1] * v[1] + R[2] * v[2],
  R[3] * v[0] + R[4] * v[1] + R[5] * v[2], R[6] * v[0] + R[7] * v[1] + R[8] * v[2]];
const product = (A, B) => [0, 3, 6].flatMap(i => [0, 1, 2].map(j =>
  A[i] * B[j] + A[i + 1] * B[j + 3] + A[i + 2] * B[j + 6]));

class Picture {
  constructor(canvas) {
    this.context = canvas.getContext('2d');
    this.w = canvas.width, this.h = canvas.height;
    this.image = this.context.createImageData(this.w, this.h);
    this.pixels = new Uint32Array(this.image.data.buffer);
    this.depth = new Float32Array(this.w * this.h);  // 1 / distance
    this.ground = new Uint8Array(this.w * this.h);   // 1: ground seen, 2: in shadow
    this.kept = null;
  }
  show() { this.context.putImageData(this.image, 0, 0); }
  keep() {
    this.kept = [this.pixels.slice(), this.depth.slice(), this.ground.slice()];
  }
  restore() {
    this.pixels.set(this.kept[0]), this.depth.set(this.kept[1]), this.ground.set(this.kept[2]);
  }

  // vertices a, b, c: x, y, 1/depth, shade; color 0..255 and alpha; `shadow` darkens the ground
  triangle(v, a, b, c, color, shadow) {
    const ax = v[a], ay = v[a + 1];
    let bx = v[b], by = v[b + 1], cx = v[c], cy = v[c + 1];
    let area = (bx - ax) * (cy - ay) - (cx - ax) * (by - ay);
    if (area === 0 || (!shadow && area > 0)) return;
    if (area > 0) [b, c, bx, by, cx, cy, area] = [c, b, cx, cy, bx, by, -area];
    const x0 = Math.max(0, Math.ceil(Math.min(ax, bx, cx)));
    const x1 = Math.min(this.w - 1, Math.floor(Math.max(ax, bx, cx)));
    const y0 = Math.max(0, Math.ceil(Math.min(ay, by, cy)));
    const y1 = Math.min(this.h - 1, Math.floor(Math.max(ay, by, cy)));
    const inverse = 1 / area;
    const db = (cy - ay) * inverse, dc = -(by - ay) * inverse;
    for (let y = y0; y <= y1; ++y) {
      let wb = ((x0 - ax) * (cy - ay) - (cx - ax) * (y - ay)) * inverse;
      let wc = ((bx - ax) * (y - ay) - (x0 - ax) * (by - ay)) * inverse;
      for (let x = x0, i = y * this.w + x0; x <= x1; ++x, ++i, wb += db, wc += dc) {
        const wa = 1 - wb - wc;
        if (wa < -1e-7 || wb < -1e-7 || wc < -1e-7) continue;
        if (shadow) {
          if (this.ground[i] !== 1) continue;
          this.ground[i] = 2;
          this.blend(i, 40, 48, 58, 0.16);
          continue;
        }
        const z = wa * v[a + 2] + wb * v[b + 2] + wc * v[c + 2];
        if (z <= this.depth[i]) continue;
        const s = wa * v[a + 3] + wb * v[b + 3] + wc * v[c + 3];
        const red = Math.min(255, color[0] * s), green = Math.min(255, color[1] * s);
        const blue = Math.min(255, color[2] * s);
        if (color[3] < 1) { this.blend(i, red, green, blue, color[3]); continue; }
        this.depth[i] = z, this.ground[i] = 0;
        this.pixels[i] = 0xff000000 | blue << 16 | green << 8 | red;
      }
    }
  }
  blend(i, red, green, blue, alpha) {
    const p = this.pixels[i], mix = (old, now) => old + (now - old) * alpha;
    this.pixels[i] = 0xff000000 | mix(p >> 16 & 255, blue) << 16 |
      mix(p >> 8 & 255, green) << 8 | mix(p & 255, red);
  }
}

class Player {
  constructor(card) {
    this.data = JSON.parse(card.querySelector('script').textContent);
    this.canvas = card.querySelector('canvas');
    this.button = card.querySelector('button');
    this.slider = card.querySelector('input');
    this.label = card.querySelector('output');
    const frames = this.data.frames;
    this.start = frames.length ? frames[0][0] : 0;
    this.end = frames.length ? frames[frames.length - 1][0] : 0;
    this.time = this.start, this.visible = false, this.playing = false;
    this.prepare();
    this.listen();
    this.setPlaying(!matchMedia('(prefers-reduced-motion: reduce)').matches);
  }

  prepare() {
    const { data } = this;
    this.moving = data.actors.map(a => a === null);
    let at = 1;
    this.offset = data.actors.map(a => a === null ? (at += 8) - 8 : -1);
    for (const m of data.meshes) {
      m.p = Float32Array.from(m.p), m.n = Float32Array.from(m.n), m.i = Uint32Array.from(m.i);
    }
    const longest = Math.max(0, ...data.meshes.map(m => m.p.length / 3));
    this.vertices = new Float32Array(4 * longest);
    for (const part of data.parts) {
      part.R = matrix(part.pose, 3), part.p = part.pose.slice(0, 3);
      part.color = part.color.map((c, k) => k < 3 ? 255 * Math.min(1, Math.max(0, c)) : c);
    }
    // transparent parts last, over what is behind them
    data.parts.sort((a, b) => (b.color[3] >= 1) - (a.color[3] >= 1));
    this.planes = data.parts.filter(p => p.mesh === undefined);
    const { position, target } = data.camera;
    const back = add(position, target, -1);
    this.distance = Math.hypot(...back) || 1;
    this.azimuth = Math.atan2(back[1], back[0]);
    this.height = Math.asin(Math.max(-1, Math.min(1, back[2] / this.distance)));
  }

  listen() {
    this.button.onclick = () => this.setPlaying(!this.playing);
    this.slider.oninput = () => {
      this.setPlaying(false);
      this.time = this.start + this.slider.value * (this.end - this.start);
      this.draw();
    };
    this.canvas.onpointerdown = e => {
      this.canvas.setPointerCapture(e.pointerId);
      this.drag = [e.clientX, e.clientY];
    };
    this.canvas.onpointermove = e => {
      if (!this.drag) return;
      this.azimuth -= (e.clientX - this.drag[0]) * 0.008;
      this.height += (e.clientY - this.drag[1]) * 0.008;
      this.height = Math.max(-1.5, Math.min(1.5, this.height));
      this.drag = [e.clientX, e.clientY];
      this.picture.kept = null;
      this.draw();
    };
    this.canvas.onpointerup = this.canvas.onpointercancel = () => { this.drag = null; };
  }

  setPlaying(playing) {
    this.playing = playing && this.end > this.start;
    this.button.setAttribute('aria-label', this.playing ? 'pause' : 'play');
    this.button.innerHTML = this.playing
      ? '<svg viewBox="0 0 18 18"><path d="M4 2h3.6v14H4zM10.4 2H14v14h-3.6z"/></svg>'
      : '<svg viewBox="0 0 18 18"><path d="M5 2l11 7-11 7z"/></svg>';
  }

  // the picture is allocated when the card is first seen
  setVisible(visible) {
    this.visible = visible;
    if (!visible || this.picture) return;
    this.picture = new Picture(this.canvas);
    this.draw();
    this.canvas.dataset.drawn = this.drawnPixels();
  }

  advance(seconds) {
    if (!this.visible || !this.playing) return;
    this.time += seconds;
    if (this.time > this.end + 0.8) this.time = this.start;  // a moment of rest, then again
    this.draw();
  }

  look() {
    const c = Math.cos(this.height), { target, fov_deg } = this.data.camera;
    this.z = [c * Math.cos(this.azimuth), c * Math.sin(this.azimuth), Math.sin(this.height)];
    this.x = [-Math.sin(this.azimuth), Math.cos(this.azimuth), 0];
    this.y = cross(this.z, this.x);
    this.eye = add(target, this.z, this.distance);
    this.focal = this.picture.h / 2 / Math.tan(fov_deg * Math.PI / 360);
    this.near = this.distance / 200;
  }

  draw() {
    if (!this.picture) return;
    const shown = Math.min(this.time, this.end);
    this.look();
    const { picture } = this;
    if (!picture.kept) {
      this.drawGround();
      this.drawParts(part => !this.moving[part.actor] && part.color[3] >= 1);
      picture.keep();
    } else {
      picture.restore();
    }
    this.poseActors(shown);
    this.drawParts(part => this.moving[part.actor] || part.color[3] < 1);
    picture.show();
    this.slider.value = this.end > this.start ? (shown - this.start) / (this.end - this.start) : 0;
    this.label.textContent = shown.toFixed(2) + ' s';
  }

  // between two frames: positions on a line, quaternions the short way
  poseActors(time) {
    const { frames } = this.data;
    if (!frames.length) return;
    let low = 0, high = frames.length - 1;
    while (high - low > 1) {
      const middle = low + high >> 1;
      if (frames[middle][0] <= time) low = middle; else high = middle;
    }
    const a = frames[low], b = frames[high];
    const f = b[0] > a[0] ? Math.min(1, Math.max(0, (time - a[0]) / (b[0] - a[0]))) : 0;
    this.row = a.map((v, i) => v + f * (b[i] - v));
    this.moving.forEach((moving, k) => {
      if (!moving) return;
      const o = this.offset[k] + 3;
      let cosine = 0;
      for (let i = o; i < o + 4; ++i) cosine += a[i] * b[i];
      const side = cosine < 0 ? -1 : 1;
      for (let i = o; i < o + 4; ++i) this.row[i] = (1 - f) * a[i] + f * side * b[i];
    });
  }

  actorPose(k) {
    if (!this.moving[k]) {
      const { rest } = this.data.actors[k];
      return { R: matrix(rest, 3), p: rest.slice(0, 3), stretch: 1 };
    }
    const s = this.row, o = this.offset[k];
    return { R: matrix(s, o + 3), p: s.slice(o, o + 3), stretch: s[o + 7] };
  }

  // sky, then every plane by the ray through each pixel, as a chequered floor that fades away
  drawGround() {
    const { picture, x, y, z, eye, focal } = this, { w, h } = picture;
    picture.depth.fill(0), picture.ground.fill(0);
    const floors = this.planes.map(part => {
      const { R, p } = this.actorPose(part.actor);
      const Q = product(R, part.R);
      const normal = [Q[2], Q[5], Q[8]], origin = add(p, turn(R, part.p));
      return { color: part.color, normal, u: [Q[0], Q[3], Q[6]], v: [Q[1], Q[4], Q[7]], origin,
        away: dot(add(origin, eye, -1), normal) };
    }).filter(f => f.away < 0);
    const power = 10 ** Math.floor(Math.log10(this.distance / 5));
    const tile = [1, 2, 5, 10].map(f => f * power).find(s => s >= this.distance / 5);
    for (let row = 0, i = 0; row < h; ++row) {
      const sky = 247 - 14 * row / h, up = (h / 2 - row) / focal;
      for (let column = 0; column < w; ++column, ++i) {
        let red = sky, green = sky + 1, blue = sky + 2, nearest = Infinity;
        const right = (column - w / 2) / focal;
        const rx = right * x[0] + up * y[0] - z[0], ry = right * x[1] + up * y[1] - z[1];
        const rz = right * x[2] + up * y[2] - z[2];
        for (const { normal: n, origin, u, v, away, color } of floors) {
          const depth = away / (rx * n[0] + ry * n[1] + rz * n[2]);
          if (!(depth > 0) || depth >= nearest) continue;
          nearest = depth;
          const fx = eye[0] + depth * rx - origin[0], fy = eye[1] + depth * ry - origin[1];
          const fz = eye[2] + depth * rz - origin[2];
          const odd = Math.floor((fx * u[0] + fy * u[1] + fz * u[2]) / tile) +
            Math.floor((fx * v[0] + fy * v[1] + fz * v[2]) / tile) & 1;
          const far = depth / this.distance;
          const fade = Math.exp(-far * far / 10), tone = 1 - 0.05 * odd * Math.exp(-far * far / 5);
          red = sky + fade * (color[0] * tone - sky);
          green = sky + 1 + fade * (color[1] * tone - sky - 1);
          blue = sky + 2 + fade * (color[2] * tone - sky - 2);
          picture.depth[i] = 1 / depth, picture.ground[i] = 1;
        }
        picture.pixels[i] = 0xff000000 | blue << 16 | green << 8 | red;
      }
    }
    const floor = floors.find(f => f.normal[2] > 0.5);
    this.floor = floor && { normal: floor.normal, origin: floor.origin };
  }

  drawParts(chosen) {
    const parts = this.data.parts.filter(p => p.mesh !== undefined && chosen(p));
    // shadows first: what stands on the ground covers them
    if (this.floor) parts.forEach(part => this.drawPart(part, true));
    parts.forEach(part => this.drawPart(part, false));
  }

  drawPart(part, shadow) {
    const { R: A, p: a, stretch } = this.actorPose(part.actor);
    const R = product(A, part.R), p = add(a, turn(A, part.p)), mesh = this.data.meshes[part.mesh];
    const v = this.vertices, { x, y, z, eye, focal, near, picture } = this;
    for (let i = 0, o = 0; i < mesh.p.length; i += 3, o += 4) {
      const px = mesh.p[i], py = mesh.p[i + 1], pz = mesh.p[i + 2] * stretch;
      let wx = R[0] * px + R[1] * py + R[2] * pz + p[0];
      let wy = R[3] * px + R[4] * py + R[5] * pz + p[1];
      let wz = R[6] * px + R[7] * py + R[8] * pz + p[2];
      if (shadow) {
        // along the light onto the floor; nothing below it throws a shadow
        const { normal, origin } = this.floor;
        const above = (wx - origin[0]) * normal[0] + (wy - origin[1]) * normal[1] +
          (wz - origin[2]) * normal[2];
        const f = Math.max(0, above) / dot(light, normal);
        wx -= f * light[0], wy -= f * light[1], wz -= f * light[2];
      } else {
        const nx = mesh.n[i], ny = mesh.n[i + 1], nz = mesh.n[i + 2] / stretch;
        const l = 1 / Math.hypot(nx, ny, nz);
        const n0 = (R[0] * nx + R[1] * ny + R[2] * nz) * l;
        const n1 = (R[3] * nx + R[4] * ny + R[5] * nz) * l;
        const n2 = (R[6] * nx + R[7] * ny + R[8] * nz) * l;
        const lit = n0 * light[0] + n1 * light[1] + n2 * light[2];
        v[o + 3] = 0.62 + 0.1 * n2 + 0.38 * Math.max(0, lit);
      }
      wx -= eye[0], wy -= eye[1], wz -= eye[2];
      const depth = -(wx * z[0] + wy * z[1] + wz * z[2]);
      const scale = focal / depth;
      v[o] = picture.w / 2 + scale * (wx * x[0] + wy * x[1] + wz * x[2]);
      v[o + 1] = picture.h / 2 - scale * (wx * y[0] + wy * y[1] + wz * y[2]);
      v[o + 2] = depth > near ? 1 / depth : -1;
    }
    const { i: index } = mesh;
    for (let k = 0; k < index.length; k += 3) {
      const i0 = 4 * index[k], i1 = 4 * index[k + 1], i2 = 4 * index[k + 2];
      if (v[i0 + 2] < 0 || v[i1 + 2] < 0 || v[i2 + 2] < 0) continue;
      picture.triangle(v, i0, i1, i2, part.color, shadow);
    }
  }

  // pixels that differ from the empty scene, for tests
  drawnPixels() {
    let count = 0;
    for (let i = 0; i < this.picture.depth.length; ++i) {
      count += this.picture.depth[i] > 0 && this.picture.ground[i] === 0;
    }
    return count;
  }
}

addEventListener('error', e => { document.body.dataset.error = e.message; });
const players = new Map();
for (const card of document.querySelectorAll('.card')) players.set(card, new Player(card));
const observer = new IntersectionObserver(entries => {
  for (const e of entries) players.get(e.target).setVisible(e.isIntersecting);
}, { rootMargin: '100px' });
for (const card of players.keys()) observer.observe(card);
let last = null;
function tick(now) {
  const seconds = last === null ? 0 : Math.min(0.1, (now - last) / 1000);
  last = now;
  for (const player of players.values()) player.advance(seconds);
  requestAnimationFrame(tick);
}
requestAnimationFrame(tick);
)js";

}  // namespace molejo
