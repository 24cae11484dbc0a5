/** Addresses of settings, as `store_info` may show them. */

/** User name and password are masked. */
export function withoutPassword(address: string): string {
  const url = new URL(address);
  if (url.username === '' && url.password === '') return address;
  url.username = '***';
  url.password = '';
  return url.href.replace(/\/+$/, '');
}
