// `npm run bench:typing [-- <keys>]`: the main thread's CPU for each key typed in the middle of a text, in each mode of the editor
// and in the browser's own field, side by side: what counts is how they compare on one machine.
import type { BrowserPage } from '#support/chromium.ts'
import { Editing } from '../../test/panel/editing.ts'

const SIZES: readonly (readonly [name: string, bytes: number])[] = [
  ['10 KiB', 10 * 1024],
  ['100 KiB', 100 * 1024],
  ['1 MiB', 1024 * 1024 - 4096],
]
const MODES = ['plain', 'source', 'rich'] as const

const keys = Number(process.argv[2] ?? 100)

const SECTION = `## A heading of some words

A tide table looks like a **list of times**. It is closer to an index: a small, *sorted* structure that [lets you](/answer) answer one
question, \`how much\` water is under me, without ever storing the sea.

- one
- two with **more**

| Place | Height |
|---|---|
| Cuxhaven | 3.4 m |

> Slack water lasts about twenty minutes, and every pilot knows it as a constant.

`

function textOf(bytes: number): string {
  return SECTION.repeat(Math.ceil(bytes / SECTION.length)).slice(0, bytes)
}

async function measure(editing: Editing, text: string, mode: (typeof MODES)[number]): Promise<string> {
  const { page, close } = await editing.open(text, { mode })
  await placeCursor(page)
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable', { timeDomain: 'threadTicks' })
  const cpu = async (): Promise<number> => {
    const { metrics } = (await session.send('Performance.getMetrics')) as { metrics: { name: string; value: number }[] }
    return 1000 * (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0)
  }
  const frame = (): Promise<unknown> =>
    page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))))
  await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 2000)))
  await frame()
  const idle = await cpu()
  await frame()
  const overhead = (await cpu()) - idle
  const times: number[] = []
  for (let count = 0; count < keys; count++) {
    const before = await cpu()
    await page.keyboard.press(count % 8 === 7 ? 'Space' : 'e')
    await frame()
    times.push(Math.max(0, (await cpu()) - before - overhead))
  }
  await close()
  times.sort((one, other) => one - other)
  const at = (part: number): string => (times[Math.min(times.length - 1, Math.floor(part * times.length))] ?? 0).toFixed(1)
  return `${at(0.5)} · ${at(0.95)} · ${at(1)}`
}

async function placeCursor(page: BrowserPage): Promise<void> {
  const isPlain = await page.evaluate(() => {
    const textarea = document.querySelector('textarea')
    if (!textarea || textarea.hidden) return false
    textarea.rows = 30
    textarea.cols = 100
    textarea.focus()
    const middle = textarea.value.indexOf('question', textarea.value.length / 2)
    textarea.setSelectionRange(middle, middle)
    return true
  })
  if (isPlain) return
  await page.evaluate(async () => {
    for (let count = 0; count < 4; count++) {
      scrollTo(0, document.documentElement.scrollHeight / 2)
      await new Promise((resolve) => setTimeout(resolve, 300))
    }
  })
  const { x, y } = await page.evaluate(() => {
    const lines = [...document.querySelectorAll('.cm-line')].map((line) => ({ line, box: line.getBoundingClientRect() }))
    const found = lines.find(
      ({ line, box }) => line.textContent?.startsWith('A tide') && box.top > 100 && box.bottom < innerHeight,
    )
    return { x: (found?.box.left ?? 0) + 200, y: (found?.box.top ?? 200) + 12 }
  })
  await page.mouse.click(x, y)
}

const editing = await Editing.start()
process.stdout.write(`CPU ms a key (${keys} keys: p50 · p95 · max)\n\n| | ${MODES.join(' | ')} |\n|---|---|---|---|\n`)
for (const [name, bytes] of SIZES) {
  const cells: string[] = []
  for (const mode of MODES) cells.push(await measure(editing, textOf(bytes), mode))
  process.stdout.write(`| ${name} | ${cells.join(' | ')} |\n`)
}
await editing.close()
