'use strict';
// A rasteriser of its own, for it must work wherever a page opens: triangles with a depth buffer, shaded
// at the vertices, at twice the size that is shown.
const add = (a, b, f = 1) => [a[0] + f * b[0], a[1] + f * b[1], a[2] + f * b[2]];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) =>
  [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const unit = (a) => { const l = Math.hypot(...a) || 1; return a.map((x) => x / l); };
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
const product = (A, B) => [0, 3, 6].flatMap((i) => [0, 1, 2].map((j) =>
  A[i] * B[j] + A[i + 1] * B[j + 3] + A[i + 2] * B[j + 6]));

// Of the empty space: the sky from top to bottom, how bright a floor is, how much a shadow takes.
const looks = {
  light: { top: [247, 248, 249], bottom: [233, 234, 235], floor: 1, shadow: 0.16, bodies: 1, ground: 1 },
  dark: { top: [24, 25, 28], bottom: [38, 39, 43], floor: 0.38, shadow: 0.45, bodies: 0.9, ground: 0.5 },
};
const look_now = () => looks[document.documentElement.dataset.theme];

class Picture {
  constructor(canvas) {
    this.context = canvas.getContext('2d', { alpha: false, willReadFrequently: true });
    this.w = canvas.width, this.h = canvas.height;
    this.image = this.context.createImageData(this.w, this.h);
    this.pixels = new Uint32Array(this.image.data.buffer);
    this.depth = new Float32Array(this.w * this.h);  // 1 / distance
    this.ground = new Uint8Array(this.w * this.h);   // 1: ground seen, 2: in shadow
    this.kept = null;
  }
  show() { this.context.putImageData(this.image, 0, 0); }
  keep() { this.kept = [this.pixels.slice(), this.depth.slice(), this.ground.slice()]; }
  restore() {
    this.pixels.set(this.kept[0]), this.depth.set(this.kept[1]), this.ground.set(this.kept[2]);
  }

  // The sky, then every floor by the ray through each pixel, chequered, fading into the sky far away.
  // A floor is a plane {origin, normal, u, v, color} seen from above; `camera` has its axes x, y, z (back),
  // eye, focal length in pixels, and the distance to what it looks at.
  draw_space(camera, floors, look) {
    this.depth.fill(0), this.ground.fill(0);
    const power = 10 ** Math.floor(Math.log10(camera.distance / 5));
    const tile = [1, 2, 5, 10].map((f) => f * power).find((s) => s >= camera.distance / 5);
    for (let row = 0; row < this.h; ++row) {
      const sky = look.top.map((c, i) => c + (look.bottom[i] - c) * row / this.h);
      this.pixels.fill(0xff000000 | sky[2] << 16 | sky[1] << 8 | sky[0], row * this.w, (row + 1) * this.w);
      for (const floor of floors) this.draw_floor_row(camera, floor, tile, row, sky);
    }
  }

  draw_floor_row({ x, y, z, eye, focal, distance }, { normal, origin, u, v, color }, tile, row, sky) {
    const { w } = this, up = (this.h / 2 - row) / focal, left = -w / 2 / focal;
    const away = dot(add(origin, eye, -1), normal), start = add(eye, origin, -1);
    const ray = [0, 1, 2].map((i) => left * x[i] + up * y[i] - z[i]);
    const down = dot(ray, normal), down_step = dot(x, normal) / focal;
    // of a level floor all pixels of a row are equally deep
    const level = Math.abs(down_step) * w < 1e-6 * Math.abs(down);
    const su = dot(start, u), ru = dot(ray, u), xu = dot(x, u) / focal;
    const sv = dot(start, v), rv = dot(ray, v), xv = dot(x, v) / focal;
    let depth = away / down, fade = 0, check = 0;
    const set_fade = () => {
      const far = depth / distance;
      fade = Math.exp(-far * far / 10), check = 0.05 * Math.exp(-far * far / 5);
    };
    if (level && !(depth > 0)) return;
    if (level) set_fade();
    for (let column = 0, i = row * w; column < w; ++column, ++i) {
      if (!level) {
        depth = away / (down + column * down_step);
        if (!(depth > 0)) continue;
        set_fade();
      }
      if (1 / depth <= this.depth[i]) continue;
      const odd = Math.floor((su + depth * (ru + column * xu)) / tile) +
        Math.floor((sv + depth * (rv + column * xv)) / tile) & 1;
      const tone = 1 - check * odd;
      const red = sky[0] + fade * (color[0] * tone - sky[0]);
      const green = sky[1] + fade * (color[1] * tone - sky[1]);
      const blue = sky[2] + fade * (color[2] * tone - sky[2]);
      this.depth[i] = 1 / depth, this.ground[i] = 1;
      this.pixels[i] = 0xff000000 | blue << 16 | green << 8 | red;
    }
  }

  // vertices a, b, c: x, y, 1/depth, shade; color 0..255 and alpha; `shadow` darkens the ground by so much;
  // `ground`: 1 for what is ground itself
  triangle(v, a, b, c, color, shadow, ground) {
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
          this.blend(i, 0, 6, 14, shadow);
          continue;
        }
        const z = wa * v[a + 2] + wb * v[b + 2] + wc * v[c + 2];
        if (z <= this.depth[i]) continue;
        const s = wa * v[a + 3] + wb * v[b + 3] + wc * v[c + 3];
        const red = Math.min(255, color[0] * s), green = Math.min(255, color[1] * s);
        const blue = Math.min(255, color[2] * s);
        if (color[3] < 1) { this.blend(i, red, green, blue, color[3]); continue; }
        this.depth[i] = z, this.ground[i] = ground;
        this.pixels[i] = 0xff000000 | blue << 16 | green << 8 | red;
      }
    }
  }
  blend(i, red, green, blue, alpha) {
    const p = this.pixels[i], mix = (old, now) => old + (now - old) * alpha;
    this.pixels[i] = 0xff000000 | mix(p >> 16 & 255, blue) << 16 |
      mix(p >> 8 & 255, green) << 8 | mix(p & 255, red);
  }

  // pixels of bodies, for tests
  drawn() {
    let count = 0;
    for (let i = 0; i < this.depth.length; ++i) count += this.depth[i] > 0 && this.ground[i] === 0;
    return count;
  }
}
