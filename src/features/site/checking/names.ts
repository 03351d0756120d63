import type { Problem } from '#core/document.ts'
import { keyText } from '#core/key.ts'
import type { Destination } from '#core/links/destination.ts'
import { idOf } from '#markdown/rules/headings.ts'
import type { Entry } from '../outline/entry.ts'
import type { SiteSnapshot } from '../outline/site-snapshot.ts'
import { mayTakeIn } from '../pages/embeds.ts'
import { type Anchor, noPart } from './anchors.ts'
import { nameFault, shown } from './faults.ts'
import type { Fault } from './found-media.ts'

/** A text that a record takes in, and the place where it does. */
interface Taken {
  readonly target: Entry
  readonly place: Pick<Problem, 'file' | 'line' | 'column'>
}

/** The most records of a circle that a message names. */
const MOST_NAMED = 5

/** Returns the id of the part that a link in double brackets names behind its end; undefined where it names none. */
function partNamed(body: string, { end }: Pick<Destination, 'end'>): string | undefined {
  const heading = /^[ \t]*#([^[\]|\n]{0,500})/.exec(body.slice(end, end + 510))?.[1]
  const last = heading?.split('#').at(-1)?.trim() ?? ''
  return last === '' || last.startsWith('^') ? undefined : idOf(last)
}

/** Looks at links in double brackets, one after the other: what they name, and the texts that they take in. */
export class NameCheck {
  /** Links to parts of pages that are there, of any form. */
  readonly anchors: Anchor[] = []
  readonly #snapshot: SiteSnapshot
  readonly #taken = new Map<Entry, Taken[]>()
  readonly #refused: Problem[] = []

  constructor(snapshot: SiteSnapshot) {
    this.#snapshot = snapshot
  }

  /** Returns the problem with a link in the text of a record. */
  fault(link: Destination, entry: Entry, body: string, place: Taken['place']): Fault | undefined {
    const target = this.#snapshot.outline.names.find(link.text.replace(/\.(?:md|markdown|mdx)$/i, ''))?.entry
    if (target) {
      const id = partNamed(body, link)
      if (id !== undefined) this.anchors.push({ target, id, problem: noPart(`The link [[${shown(link.text)}]]`, target, place) })
      if (isEmbed(body, link)) this.#note(entry, { target, place })
    }
    return nameFault(link.text, this.#snapshot)
  }

  #note(entry: Entry, taken: Taken): void {
    if (!mayTakeIn(entry, taken.target)) this.#refused.push(notTakenIn(entry, taken))
    const known = this.#taken.get(entry)
    if (known) known.push(taken)
    else this.#taken.set(entry, [taken])
  }

  /** The problems with texts that are not taken in; those of circles each once, where it closes. */
  problems(): Problem[] {
    const problems = [...this.#refused]
    const done = new Set<Entry>()
    for (const entry of this.#taken.keys()) this.#follow(entry, done, problems)
    return problems
  }

  /** Goes through all that is taken in from a record on; a loop, since a chain may be as long as a site has records. */
  #follow(begin: Entry, done: Set<Entry>, problems: Problem[]): void {
    const way = [{ entry: begin, next: 0 }]
    const within = new Set([begin])
    for (let step = way.at(-1); step; step = way.at(-1)) {
      const taken = done.has(step.entry) ? undefined : this.#taken.get(step.entry)?.[step.next++]
      if (!taken) {
        done.add(step.entry)
        within.delete(step.entry)
        way.pop()
      } else if (within.has(taken.target)) {
        const circle = way.slice(way.findIndex(({ entry }) => entry === taken.target)).map(({ entry }) => entry)
        problems.push(inItself(taken, circle))
      } else if (!done.has(taken.target)) {
        way.push({ entry: taken.target, next: 0 })
        within.add(taken.target)
      }
    }
  }
}

function isEmbed(body: string, { start }: Destination): boolean {
  return body
    .slice(Math.max(0, start - 20), start)
    .trimEnd()
    .endsWith('![[')
}

function notTakenIn(entry: Entry, { target, place }: Taken): Problem {
  const isTrusted = target.type.html === 'trusted' && entry.type.html !== 'trusted'
  const why = isTrusted ? 'whose HTML is trusted, as that of this page is not' : 'which is not to be found, as this page is'
  const message = `This takes in ${keyText(target.key)}, ${why}: it is shown as a link.`
  return { ...place, message, hint: 'Make it a link: [[ ]] without !.', severity: 'warning' }
}

function inItself({ target, place }: Taken, circle: readonly Entry[]): Problem {
  const names = circle.map(({ key }) => keyText(key))
  const way = [...names.slice(0, MOST_NAMED), ...(names.length > MOST_NAMED ? ['…'] : []), keyText(target.key)].join(' → ')
  return {
    ...place,
    message: `This takes in a text that takes in this one (${way}): it is shown as a link.`,
    hint: 'Make one of them a link: [[ ]] without !.',
    severity: 'warning',
  }
}
