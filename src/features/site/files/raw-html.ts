import { htmlAddresses } from '#core/links/html-addresses.ts'

const ENTITY = /&(?:#?[a-z0-9]+);/i

/** Returns raw HTML with the addresses that lead to files beside records as `fileAt` gives them, and all else as it is written. */
export function withFileAddresses(html: string, fileAt: (href: string) => string | undefined): string {
  let [made, at] = ['', 0]
  for (const { start, end } of htmlAddresses(html).found) {
    const value = html.slice(start, end).replaceAll('&amp;', '&').trim()
    const address = ENTITY.test(value) ? undefined : fileAt(value)
    if (address === undefined) continue
    made += html.slice(at, start) + address.replaceAll('&', '&amp;').replaceAll("'", '&#39;')
    at = end
  }
  return made + html.slice(at)
}
