import type { Problem } from '#core/document.ts'
import { MEDIA } from '#core/key.ts'
import { hidingKeys } from '#frontmatter/hiding-words.ts'
import type { Fields, Json } from '#lib/json.ts'
import type { Quire } from '../open/site.ts'
import { objectsOf } from './files.ts'

/** Levels of a menu that are looked at. */
const DEEPEST = 32

/** Names the words by which terms, media, menus and their items seem to be kept from the public: these have no drafts. */
export async function systemProblems(site: Quire): Promise<Problem[]> {
  const now = site.clock.now()
  const problems: Problem[] = []
  for (const kind of ['menus', MEDIA, ...site.types.taxonomies().map(({ name }) => `taxonomy/${name}`)]) {
    for (const { key, fields, problem } of (await site.store.heads(kind, {})).items) {
      if (problem?.severity === 'error') continue
      const items = kind === 'menus' ? itemsIn(fields.items, DEEPEST) : []
      const keys = [fields, ...items].flatMap((data) => hidingKeys(data, now))
      if (keys.length === 0) continue
      const names = [...new Set(keys)].map((name) => `"${name}"`).join(', ')
      const message = `${names} ${names.includes(',') ? 'hide' : 'hides'} nothing: terms, menus and media are public.`
      const hint = 'Take out what must not be seen, or the file.'
      problems.push({ file: (await site.fileOf(key)) ?? `${kind}/${key.id}`, message, hint, severity: 'warning' })
    }
  }
  return problems
}

function itemsIn(items: Json | undefined, levels: number): Fields[] {
  if (levels === 0) return []
  return objectsOf(items).flatMap((item) => [item, ...itemsIn(item.children, levels - 1)])
}
