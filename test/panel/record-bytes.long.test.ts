import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { keyOf } from '#core/key.ts'
import { startChromium } from '#support/chromium.ts'
import { panelOf } from '#support/panel.ts'
import { signedPage } from './panel-site.ts'
import { EDITED, writtenDocuments } from './written-documents.ts'

/** A folder of files to take in the place of those that are made. */
const folder = process.argv[2]
const DOCUMENTS = folder === undefined ? writtenDocuments(40) : documentsIn(folder)
const POSTS = '/admin/content/posts'

function documentsIn(folder: string): string[] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => /\.mdx?$/.test(name))
  return names.sort().map((name) => readFileSync(join(folder, name), 'utf8'))
}

const chromium = await startChromium()
t.teardown(() => chromium.close())

const FILES = Object.fromEntries(DOCUMENTS.map((text, n) => [`content/posts/p${n}.md`, text]))

t.test('a page of a browser that is sent as it came changes no byte; a word changes its line', (t) =>
  panelOf(
    t,
    FILES,
    async (t, given) => {
      const { opened } = given
      if (opened.name === 'postgres') return
      const { page, origin, errors } = await signedPage(t, chromium, given)
      const head = () => execFileSync('git', ['rev-parse', 'HEAD'], { cwd: opened.site?.path('') ?? '', encoding: 'utf8' })
      const textOf = (n: number) => readFileSync(opened.site?.path(`content/posts/p${n}.md`) ?? '', 'utf8')
      const open = async (n: number) => {
        await page.goto(`${origin}${POSTS}/p${n}/edit`)
        await page.waitForSelector('.cm-content')
      }
      const send = async () => {
        await page.evaluate(() => document.querySelector<HTMLFormElement>('form#record')?.requestSubmit())
        await page.waitForSelector('.toast')
        return page.innerText('.toast span')
      }
      const before = head()
      for (const [n, text] of DOCUMENTS.entries()) {
        await open(n)
        const said = await send()
        if (said !== 'Nothing was changed.') t.fail(`p${n}: ${said}`)
        if (textOf(n) !== text) t.equal(textOf(n), text, `p${n}`)
      }
      t.equal(head(), before, 'no commit is made')
      for (const [n, text] of DOCUMENTS.entries()) {
        if (!text.includes(EDITED)) continue
        await open(n)
        await page.evaluate(
          ([from]) => {
            const lines = [...document.querySelectorAll('.cm-line')].filter((one) => one.textContent?.includes(from))
            const range = document.createRange()
            const walk = document.createTreeWalker(lines[0] ?? document.body, NodeFilter.SHOW_TEXT)
            for (let node = walk.nextNode(); node; node = walk.nextNode()) {
              const at = node.textContent?.indexOf(from) ?? -1
              if (at < 0) continue
              range.setStart(node, at)
              range.setEnd(node, at + from.length)
            }
            ;(document.querySelector('.cm-content') as HTMLElement).focus()
            getSelection()?.removeAllRanges()
            getSelection()?.addRange(range)
          },
          [EDITED] as [string],
        )
        await page.keyboard.type('another')
        t.equal(await send(), 'Saved.')
        t.equal(textOf(n), text.replace(EDITED, 'another'))
        t.match((await opened.store.get(keyOf('posts', `p${n}`)))?.body, /another/)
      }
      // A picture whose address leads nowhere is not there.
      const others = errors.filter((error) => !/status of 404/.test(error))
      t.strictSame(others, [], 'the browser complains of nothing, and asks nobody else')
    },
    { site: { history: true } },
  ),
)
