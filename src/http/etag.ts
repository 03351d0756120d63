/** The opaque values of an `If-Match` or `If-None-Match` header, without quotes and `W/`; `*` stands for itself. Undefined where there is no header. */
export function entityTags(header: string | undefined): string[] | undefined {
  if (header === undefined) return undefined
  return [...header.matchAll(/(?:W\/)?"([^"]*)"|(\*)|([^\s,"]+)/g)].map(([, quoted, star, bare]) => quoted ?? star ?? bare ?? '')
}

/** Returns whether `If-None-Match` names this ETag (with its quotes), by weak comparison (RFC 9110 §13.1.2). */
export function isKnown(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false
  if (header === etag) return true
  const opaque = etag.slice(1, -1)
  return entityTags(header)?.some((tag) => tag === '*' || tag === opaque) ?? false
}
