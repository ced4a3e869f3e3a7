// The drawing of a net as a picture of any size: a net alone has no 3D view that could be filmed.
import { own_address } from './address';

let style: Promise<string> | null = null;

export const net_drawing = (): SVGSVGElement => document.querySelector<SVGSVGElement>('svg.net-drawing')!;

export async function draw_net(width: number, height: number): Promise<HTMLCanvasElement> {
  style ??= fetch(own_address('/style.css')).then((answer) => answer.text());
  const copy = net_drawing().cloneNode(true) as SVGSVGElement;
  copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
  copy.setAttribute('width', String(width));
  copy.setAttribute('height', String(height));
  const sheet = document.createElementNS('http://www.w3.org/2000/svg', 'style');
  sheet.textContent = await style;
  copy.prepend(sheet);
  const image = new Image(width, height);
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(new XMLSerializer().serializeToString(copy))}`;
  await image.decode();
  const canvas = document.createElement('canvas');
  canvas.width = width;
  canvas.height = height;
  const context = canvas.getContext('2d')!;
  context.fillStyle = getComputedStyle(document.documentElement).getPropertyValue('--paper');
  context.fillRect(0, 0, width, height);
  context.drawImage(image, 0, 0, width, height);
  return canvas;
}
