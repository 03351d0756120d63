import { readFileSync } from 'node:fs'
import { type FilterImplOptions, Liquid } from 'liquidjs'
import { templateFiles } from '#lib/files/templates.ts'
import { shippedTemplates } from '#lib/package.ts'
import { inSlices } from '#liquid/slices.ts'
import { boundTemplates, TEMPLATE_LIMITS } from '#liquid/template-bounds.ts'
import { Templates } from '#liquid/templates.ts'
import { median } from './load.ts'

/**
 * Pages of the shipped theme by `src/liquid` and by LiquidJS within the same bounds, in turn, without what makes their data:
 * `npm run bench:templates -- [pages] [rounds]`. Prints microseconds of CPU for a page.
 */
const pages = Number(process.argv[2] ?? 2000)
const rounds = Number(process.argv[3] ?? 9)
const print = (line: string) => process.stdout.write(`${line}\n`)

type Render = (name: string, data: object) => Promise<string>

const files = templateFiles([shippedTemplates('site')]).filter(({ name }) => name.endsWith('.liquid'))
const texts = Object.fromEntries(files.map(({ name, file }) => [name, readFileSync(file, 'utf8')]))
const options = { extname: '.liquid', outputEscape: 'escape', locale: 'en' } as const
const day = new Intl.DateTimeFormat('en', { dateStyle: 'long', timeZone: 'UTC' })
const filters: Readonly<Record<string, FilterImplOptions>> = {
  t: (name: string) => name,
  forms: () => ({}),
  asset: (name: string) => `/assets/${name}`,
  day: (value: string) => day.format(Date.parse(value)),
  short_day: (value: string) => day.format(Date.parse(value)),
}

function byLiquidJs(): Render {
  const liquid = new Liquid({ ...options, ...TEMPLATE_LIMITS, templates: texts, cache: true, strictFilters: true })
  boundTemplates(liquid)
  for (const [name, filter] of Object.entries(filters)) liquid.registerFilter(name, filter)
  return async (name, data) => String(await inSlices(liquid._renderFile(name, data, { sync: true })))
}

function byOurs(): Render {
  const templates = new Templates(texts, options)
  for (const [name, filter] of Object.entries(filters)) templates.addFilter(name, filter)
  return (name, data) => templates.render(name, data)
}

const terms = ['tea', 'water', 'milk'].map((name) => ({ kind: 'tag', id: name, name, url: `/tags/${name}` }))
const record = (n: number) => ({
  title: `Tea & water, part ${n}`,
  url: `/posts/tea-${n}`,
  excerpt: 'Pour the water while it is hot, and wait for three minutes. '.repeat(4),
  published_at: '2026-03-01T10:00:00Z',
  authors: [{ name: 'Ann', url: '/authors/ann' }],
  terms,
  html: '<p>Pour the water while it is hot.</p>\n'.repeat(60),
})
const menu = ['Home', 'Posts', 'About'].map((label) => ({ label, url: `/${label}`, current: false, within: false, children: [] }))
const about = {
  site: { name: 'Tea', locale: 'en', home: '/', feed: '/feed.xml', search: '/search' },
  page: {
    kind: 'list',
    title: 'Posts',
    description: 'Of tea.',
    noindex: false,
    og: 'website',
    url: '/posts',
    canonical: '/posts',
  },
  menu,
  settings: {},
}
const records = Array.from({ length: 20 }, (_, n) => record(n))
const CASES: readonly (readonly [label: string, name: string, data: object])[] = [
  ['a record', 'post', { ...about, record: record(1) }],
  ['a list of 20', 'list', { ...about, records, paging: { page: 2, pages: 9, total: 180, newer: '/posts', older: '/posts/3' } }],
]

print(`${pages} pages, ${rounds} rounds in turn; µs of CPU a page\n`)
print('| | LiquidJS | closures | ratio |')
print('|---|---|---|---|')
for (const [label, name, data] of CASES) {
  const renders = [byLiquidJs(), byOurs()]
  const times: number[][] = [[], []]
  const [theirs, ours] = await Promise.all(renders.map((render) => render(name, data)))
  if (theirs !== ours) throw new Error(`${label} is not the same by both`)
  for (let round = 0; round < rounds; round++)
    for (const [nth, render] of renders.entries()) times[nth]?.push(await cost(() => render(name, data)))
  const [slow = 0, fast = 0] = times.map(median)
  print(`| ${label} | ${slow.toFixed(1)} | ${fast.toFixed(1)} | ${(slow / fast).toFixed(1)} × |`)
}

async function cost(render: () => Promise<string>): Promise<number> {
  const before = process.cpuUsage()
  let characters = 0
  for (let n = 0; n < pages; n++) characters += (await render()).length
  if (characters === 0) throw new Error('nothing is made')
  const { user, system } = process.cpuUsage(before)
  return (user + system) / pages
}
