/** The values of a form's fields, by their names. */
export type Entries = ReadonlyMap<string, readonly string[]>

/** Returns what a form would send by now, but for files; `button` as if it sent it. */
export function entriesOf(form: HTMLFormElement, button?: HTMLElement | null): Map<string, string[]> {
  const entries = new Map<string, string[]>()
  for (const [name, value] of new FormData(form, button)) {
    if (typeof value === 'string') entries.set(name, [...(entries.get(name) ?? []), value])
  }
  return entries
}

/** Returns whether both have the same values of a name: an empty one of several says nothing. */
export function isSame(one: Entries, other: Entries, name: string): boolean {
  const of = (entries: Entries) => (entries.get(name) ?? []).filter((value) => value !== '' || !name.endsWith('[]'))
  return JSON.stringify(of(one)) === JSON.stringify(of(other))
}
