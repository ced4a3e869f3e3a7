// The state of the page as an address: #file=scenes/chain.json&panel=forces&camera=side&show=joints,trails
export interface Address {
  file?: string;
  panel?: string;
  camera?: string;
  show?: string;
  t?: string;
  bare?: string; // only the view: for pictures and videos
  render?: string; // from,fps,count,width,height: send pictures to the server
}

export function read_address(): Address {
  return Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
}

// A path of the server, with the token that the page itself was asked for with.
export function own_address(path: string): string {
  const token = new URLSearchParams(location.search).get('token');
  return token === null ? path : `${path}${path.includes('?') ? '&' : '?'}token=${encodeURIComponent(token)}`;
}

export function write_address(changes: Address): void {
  const all = { ...read_address(), ...changes };
  const parts = Object.entries(all).filter(([, value]) => value !== undefined && value !== '')
    .map(([name, value]) => `${name}=${encodeURIComponent(value as string).replaceAll('%2F', '/').replaceAll('%2C', ',')}`);
  history.replaceState(null, '', parts.length ? `#${parts.join('&')}` : location.pathname + location.search);
}
