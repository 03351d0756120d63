/** Most texts of a sort: visitors of a site have few browsers, and come from few places. */
const MOST = 4000

/** Most characters of a text that is remembered: a header may have thousands. */
const LONGEST = 1000

/** Returns what is known of a text; what is not yet is made, and known from then on. When there are too many, all are forgotten. */
export function remembered<T extends {}>(known: Map<string, T>, text: string, make: (text: string) => T): T {
  const found = known.get(text)
  if (found !== undefined) return found
  const made = make(text)
  if (text.length > LONGEST) return made
  if (known.size >= MOST) known.clear()
  known.set(text, made)
  return made
}
