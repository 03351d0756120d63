import type { Test } from 'tap'
import type { BrowserPage } from '#support/chromium.ts'
import { AXE } from './panel-site.ts'

/** The folder that pictures of what is looked at go to, where they are wanted. */
const SHOTS = process.env.SHOTS

/** The windows, themes and sizes of text that pages are looked at in. */
export const LOOKS = [
  { width: 1280, colorScheme: 'light', text: '' },
  { width: 390, colorScheme: 'dark', text: '' },
  { width: 1280, colorScheme: 'dark', text: '200%' },
  { width: 390, colorScheme: 'light', text: '' },
  { width: 1280, colorScheme: 'dark', text: '' },
  { width: 390, colorScheme: 'light', text: '200%' },
] as const

/** As much of the checks as is used. */
interface Axe {
  run(options: object): Promise<{ violations: { id: string; nodes: { html: string; failureSummary: string }[] }[] }>
}

/** A way to bring a page into a state, and the state's name. */
export type NamedState = readonly [name: string, reach: () => Promise<unknown>]

/** A browser's page, and what it complained of so far. */
export interface Looked {
  readonly page: BrowserPage
  readonly errors: string[]
  /** True to take each state in each look; else each is taken once. */
  readonly isWhole: boolean
}

/** Looks at states of a page: all can use them, nothing is wider than the window, and the browser complains of nothing. */
export async function lookAt(t: Test, states: readonly NamedState[], { page, errors, isWhole }: Looked): Promise<void> {
  for (const [n, [name, reach]] of states.entries()) {
    for (const [m, { width, colorScheme, text }] of LOOKS.entries()) {
      if (!isWhole && n % LOOKS.length !== m) continue
      await page.setViewportSize({ width, height: 800 })
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      await reach()
      // A browser calls the status of a page that says what is wrong an error.
      errors.splice(0, errors.length, ...errors.filter((error) => !/status of (?:401|403|404|409|415|422|503)/.test(error)))
      await page.evaluate(AXE)
      await page.evaluate((text) => document.documentElement.style.setProperty('font-size', text), text)
      const { violations, scrolls, headings, tables } = await page.evaluate(async () => {
        const { axe } = globalThis as unknown as { axe: Axe }
        // The preview's frame has an origin of its own, which axe's messages do not reach: asking it is an error on the console.
        const { violations } = await axe.run({ resultTypes: ['violations'], iframes: false })
        return {
          violations: violations.map(
            ({ id, nodes }) => `${id}: ${nodes[0]?.html.slice(0, 200)} ${nodes[0]?.failureSummary} (${nodes.length})`,
          ),
          scrolls: document.documentElement.scrollWidth - document.documentElement.clientWidth,
          headings: document.querySelectorAll('h1').length,
          tables: [...document.querySelectorAll('main table.table')].map((table) => getComputedStyle(table).display),
        }
      })
      const where = `${name} at ${width}, ${colorScheme}${text === '' ? '' : `, text ${text}`}`
      t.strictSame(violations, [], where)
      t.equal(scrolls, 0, `${where}: nothing is wider than the window`)
      t.equal(headings, 1, `${where}: one heading`)
      if (width === 1280 && text === '')
        t.ok(
          tables.every((display) => display === 'table'),
          `${where}: tables are tables`,
        )
      t.strictSame(errors.splice(0), [], `${where}: the browser complains of nothing`)
      const shot = `${SHOTS}/${name.replaceAll(/[^\w]+/g, '_')}-${width}-${colorScheme}${text.slice(0, 3)}.png`
      if (SHOTS) await page.screenshot({ path: shot, fullPage: true })
    }
  }
}
