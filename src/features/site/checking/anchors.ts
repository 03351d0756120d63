import { readFileSync } from 'node:fs'
import type { Problem } from '#core/document.ts'
import { keyText } from '#core/key.ts'
import type { Store } from '#core/store.ts'
import { Slices } from '#lib/concurrency/slices.ts'
import { Markdown } from '#markdown/markdown.ts'
import type { Entry } from '../outline/entry.ts'
import type { Theme } from '../theme/theme.ts'

/** A link to a part of a record's page: the id of the part, and the problem that it is if there is none. */
export interface Anchor {
  readonly target: Entry
  readonly id: string
  readonly problem: Problem
}

/** A text that is longer is not looked into. */
const LONGEST = 256 * 1024
const TEMPLATE_ID = /\sid=["']?([^"'{}\s>]+)/g

/** Resolves with the problems of links to parts of pages that are not there. */
export async function anchorProblems(anchors: readonly Anchor[], store: Store, theme: Theme): Promise<Problem[]> {
  const ofTheme = new Set(
    theme.templates.flatMap(({ file }) => [...readFileSync(file, 'utf8').matchAll(TEMPLATE_ID)].map(([, id = '']) => id)),
  )
  const byTarget = new Map<Entry, Anchor[]>()
  for (const anchor of anchors) {
    if (ofTheme.has(anchor.id)) continue
    const others = byTarget.get(anchor.target)
    if (others) others.push(anchor)
    else byTarget.set(anchor.target, [anchor])
  }
  const markdown = new Markdown()
  const wrong = new Set<Anchor>()
  const slices = new Slices()
  for (const [target, links] of byTarget) {
    if (slices.isOver) await slices.pause()
    const body = (await store.get(target.key))?.body
    if (body === undefined || body.length > LONGEST) continue
    const ids = markdown.ids(body, target.title)
    for (const link of links) if (!ids.has(link.id)) wrong.add(link)
  }
  return anchors.filter((anchor) => wrong.has(anchor)).map(({ problem }) => problem)
}

/** The id that stands for a part of a page at the end of an address; undefined where none does, or a browser knows it itself. */
export function partOf(address: string): string | undefined {
  const hash = address.indexOf('#')
  const part = hash < 0 ? '' : address.slice(hash + 1)
  if (part === '' || part.toLowerCase() === 'top' || part.includes(':~:')) return undefined
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

/** Returns the problem of a link in a record's text whose target has no part with that id. */
export function noPart(said: string, target: Entry, place: Pick<Problem, 'file' | 'line' | 'column'>): Problem {
  const message = `${said} leads to a part that ${keyText(target.key)} does not have.`
  return { ...place, message, hint: 'Correct what stands behind the #, or give the heading that id: {#id}.', severity: 'warning' }
}
