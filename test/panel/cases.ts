import t, { type Test } from 'tap'
import type { BrowserPage } from '#support/chromium.ts'
import { Editing, type Opened, type Opening } from './editing.ts'

/** By the test of a file: several may come one after another in this process. */
const started = new WeakMap<Test, Promise<Editing>>()

/** The server and the browser of the tests of one file. */
export function editing(): Promise<Editing> {
  const file: Test = t
  const known = started.get(file) ?? Editing.start()
  if (!started.has(file)) {
    started.set(file, known)
    file.teardown(async () => (await known).close())
  }
  return known
}

/** Tests what happens to a text in an editor. What the browser complains of fails it. */
export function edit(name: string, text: string, run: (t: Test, opened: Opened) => Promise<void>, opening: Opening = {}): void {
  t.test(name, async (t) => {
    const opened = await (await editing()).open(text, opening)
    await run(t, opened)
    t.strictSame(opened.errors, [], 'the browser complains of nothing')
    await opened.close()
  })
}

/** Clicks on the line that has a text, at its end. */
export async function clickLine(page: BrowserPage, text: string): Promise<void> {
  const { x, y } = await page.evaluate((text) => {
    const line = [...document.querySelectorAll('.cm-line')].find((line) => line.textContent?.includes(text))
    const { right, bottom } = line?.getBoundingClientRect() ?? new DOMRect()
    return { x: right, y: bottom }
  }, text)
  await page.mouse.click(x - 60, y - 8)
  const isActive = (text: string): boolean => document.querySelector('.md-active')?.textContent?.includes(text) ?? false
  await page.waitForFunction(isActive, text)
  await page.keyboard.press('End')
}

/** The lines as they are shown. */
export function shown(page: BrowserPage): Promise<string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>('.cm-line')].map((line) => line.innerText.replaceAll('\n', '')),
  )
}

/** Waits for a line to be shown as a text: what the focus and the mouse change is drawn a moment after. */
export async function becomes(page: BrowserPage, index: number, text: string): Promise<void> {
  const expected = { index, text }
  await page.waitForFunction(({ index, text }) => {
    const line = document.querySelectorAll<HTMLElement>('.cm-line')[index]
    return line?.innerText.replaceAll('\n', '') === text
  }, expected)
}

/** The texts of all elements that a selector finds. */
export function textsOf(page: BrowserPage, selector: string): Promise<(string | undefined)[]> {
  return page.evaluate((selector) => [...document.querySelectorAll(selector)].map((found) => found.textContent ?? ''), selector)
}

/** Has the browser paste something, as if from the clipboard. */
export async function paste(page: BrowserPage, parts: Record<string, string>): Promise<void> {
  await page.evaluate((parts) => {
    const data = new DataTransfer()
    for (const [type, text] of Object.entries(parts)) data.setData(type, text)
    const event = new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true })
    document.querySelector('.cm-content')?.dispatchEvent(event)
  }, parts)
}
