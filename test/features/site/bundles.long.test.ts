import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import t from 'tap'
import { publicSite } from '#support/public-site.ts'
import { openFiles } from '#support/stores.ts'
import { plainTypes } from '#support/types.ts'

const POSTS = 200

/** The ways in which authors name a file from the folder of their text, with what a link to it may have before and behind it. */
const SPELLINGS: readonly ((path: string) => string)[] = [
  (path) => `![A picture](${encodeURI(path)})`,
  (path) => `![A picture](./${encodeURI(path)} "with a title")`,
  (path) => `![A picture](<${path}>)`,
  (path) => `[![A picture](${encodeURI(path)})](${encodeURI(path)}#whole)`,
  (path) => `![A picture][p]\n\n[p]: ${encodeURI(path)}`,
  (path) => `<img src="${path.replaceAll('&', '&amp;')}" alt="x">`,
  (path) => `<picture><source srcset="${encodeURI(path)} 2x"><img src='${path.replaceAll('&', '&amp;')}'></picture>`,
  (path) => `<video controls src="${encodeURI(path)}" poster="${encodeURI(path)}"></video>`,
]

const NAMES = [
  'cat.jpg',
  'CAT.PNG',
  'my cat.jpg',
  'été.webp',
  'images/a.png',
  'images/deep/er/b.gif',
  '東京.avif',
  'a+b,c.jpg',
  'R&D.png',
  '100%.jpg',
  '(1).png',
]

interface Picture {
  readonly page: string
  readonly path: string
  readonly bytes: string
}

/** A folder of posts as Hugo takes them: bundles in sections, some single files, a picture or several beside each. */
function hugoSite() {
  const files: Record<string, string> = {
    'content/_index.md': '---\ntitle: Home\n---\n',
    'content/posts/_index.md': '---\ntitle: Posts\n---\n',
  }
  const beside: Record<string, string> = {}
  const pictures: Picture[] = []
  for (let n = 0; n < POSTS; n++) {
    const section = n % 3 === 0 ? 'posts' : `posts/20${10 + (n % 7)}`
    const isBundle = n % 10 !== 9
    const folder = isBundle ? `${section}/post-${n}` : section
    const head = `---\ntitle: Post ${n}\ndate: 2020-01-${String(1 + (n % 28)).padStart(2, '0')}\n${n % 4 === 0 ? `slug: "named ${n}"\n` : ''}---\n`
    const texts: string[] = []
    for (let k = 0; k <= n % 4; k++) {
      const name = NAMES[(n + k) % NAMES.length] ?? ''
      const own = isBundle ? name : name.replace(/([^/]*)$/, `p${n}-$1`)
      const path = n % 5 === 4 && k === 0 ? `../shared/${own}` : own
      const file = join(folder, path)
      beside[`content/${file}`] = `the bytes of ${file}`
      texts.push((SPELLINGS[(n + k * 3) % SPELLINGS.length] ?? String)(path))
      const slug = n % 4 === 0 ? `named ${n}` : `post-${n}`
      pictures.push({ page: `/${section}/${encodeURIComponent(slug)}`, path, bytes: `the bytes of ${file}` })
    }
    files[`content/${isBundle ? `${folder}/index` : `${folder}/post-${n}`}.md`] = `${head}\n${texts.join('\n\n')}\n`
  }
  return { files, beside, pictures }
}

const addresses = (html: string) =>
  [...html.matchAll(/<(?:img|source|video)\b[^>]*?>/g)].flatMap(([tag]) =>
    [...tag.matchAll(/\b(?:src|srcset|poster)="([^"]*)"/g)].map(([, value = '']) =>
      value.replace(/ 2x$/, '').replaceAll('&amp;', '&'),
    ),
  )

t.test('of 200 page bundles every picture is where its page says, served and built', async (t) => {
  const { files, beside, pictures } = hugoSite()
  const types = plainTypes()
  const opened = await openFiles({ files, beside, types })
  t.teardown(() => opened.close())
  const { store, clock, siteFiles } = opened
  const { site, folder, html } = publicSite(t, { store, types, clock }, false, { siteFiles })
  const out = folder.path('public')
  const report = await site.build(out)
  t.same(report.problems, [])
  t.equal(report.files, Object.keys(beside).length)
  const sumOf = (bytes: Buffer | string) => hash('sha256', bytes)
  const byPage = new Map<string, Set<string>>()
  for (const { page, bytes } of pictures) byPage.set(page, (byPage.get(page) ?? new Set()).add(sumOf(bytes)))
  let links = 0
  for (const [page, sums] of byPage) {
    const found = addresses(await html(page))
    const seen = new Set<string>()
    for (const address of found) {
      links++
      const answer = await site.answer(address)
      const bytes =
        'open' in answer ? await buffer((await answer.open()) as Readable) : Buffer.from(`${page}: ${address} is not there`)
      const built = readFileSync(join(out, decodeURIComponent(address)))
      if (!built.equals(bytes)) t.fail(`${page}: ${address} is built otherwise`)
      seen.add(sumOf(bytes))
    }
    if ([...seen].sort().join() !== [...sums].sort().join()) t.same(found, [...sums], page)
  }
  t.equal(byPage.size, POSTS)
  t.ok(links >= pictures.length, `${links} links to ${pictures.length} pictures`)
  t.same(await site.remarks().then((all) => all.filter(({ file }) => !file.startsWith('templates'))), [])
  t.match(await site.build(out), { written: 0, removed: 0 })
})
