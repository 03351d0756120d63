import { cpSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, extname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import t, { type Test } from 'tap'
import { startChromium } from '#support/chromium.ts'
import { CMS, cms } from '#support/cli.ts'
import { AXE } from '../panel/panel-site.ts'

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css',
  '.js': 'text/javascript',
  '.svg': 'image/svg+xml',
  '.json': 'application/json',
}

/** Starters, and pages of each that are looked at. */
const STARTERS = [
  { name: 'blog', pages: ['/', '/blog', '/blog/pictures', '/blog/writing', '/tags/guide'] },
  { name: 'docs', pages: ['/', '/docs', '/docs/guides', '/docs/guides/writing', '/search'] },
  { name: 'blank', pages: ['/'] },
] as const

const DOCS = join(dirname(dirname(CMS)), 'docs')

/** Style and scripts of a page together, in bytes as they are sent. */
const MOST_WEIGHT = 30 * 1024

const chromium = await startChromium()
t.teardown(() => chromium.close())

for (const { name, pages } of STARTERS) {
  t.test(`the starter ${name} begins a site that is right, light, and can be used by all`, async (t) => {
    const root = mkdtempSync(join(tmpdir(), `quire-${name}-`))
    t.teardown(() => rmSync(root, { recursive: true, force: true, maxRetries: 3 }))
    const made = await cms(['init', root, '--template', name, '--no-git', '--json'])
    t.match(JSON.parse(made.stdout), { ok: true, data: { template: name } })
    const checked = await cms(['check', '-C', root, '--json'])
    t.match(JSON.parse(checked.stdout), { ok: true, warnings: [] }, checked.stdout)
    t.equal((await cms(['build', '-C', root])).code, 0)
    const again = await cms(['init', root, '--template', name, '--no-git', '--json'])
    t.strictSame(JSON.parse(again.stdout).data.created, [], 'what is there is left alone')

    const out = join(root, 'public')
    const origin = await served(t, out)
    for (const path of pages) {
      const html = readFileSync(join(out, path, 'index.html'), 'utf8')
      t.ok(weightOf(html, out) < MOST_WEIGHT, `${path} has ${weightOf(html, out)} bytes of style and scripts`)
    }
    for (const [width, colorScheme] of [
      [1280, 'light'],
      [390, 'dark'],
    ] as const) {
      const context = await chromium.newContext({ viewport: { width, height: 900 }, colorScheme })
      t.teardown(() => context.close())
      const page = await context.newPage()
      const errors: string[] = []
      const elsewhere: string[] = []
      page.on('console', (message) => message.type() === 'error' && errors.push(message.text()))
      page.on('pageerror', (error) => errors.push(error.message))
      page.on('request', (request) => request.url().startsWith(origin) || elsewhere.push(request.url()))
      for (const path of [...pages, '/404.html']) {
        await page.goto(`${origin}${path}`)
        await page.evaluate(AXE)
        const { violations, isWide } = await page.evaluate(async () => {
          const { axe } = globalThis as unknown as { axe: Axe }
          const { violations } = await axe.run({ resultTypes: ['violations'] })
          const { scrollWidth, clientWidth } = document.documentElement
          return {
            violations: violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`),
            isWide: scrollWidth > clientWidth,
          }
        })
        t.strictSame(violations, [], `${path} at ${width}, ${colorScheme}`)
        t.notOk(isWide, `${path} at ${width}: nothing is wider than the window`)
      }
      t.strictSame(errors, [])
      t.strictSame(elsewhere, [], 'nothing is asked for elsewhere')
    }
  })
}

t.test('the documentation of Quire is a site with the starter for it, whose links lead somewhere', async (t) => {
  const root = mkdtempSync(join(tmpdir(), 'quire-docs-'))
  t.teardown(() => rmSync(root, { recursive: true, force: true, maxRetries: 3 }))
  t.equal((await cms(['init', root, '--template', 'docs', '--no-git'])).code, 0)
  for (const folder of ['start', 'guides', 'reference']) rmSync(join(root, 'content/docs', folder), { recursive: true })
  rmSync(join(root, 'content/index.md'))
  cpSync(realpathSync(DOCS), join(root, 'content/docs'), { recursive: true })
  t.match(JSON.parse((await cms(['check', '-C', root, '--json'])).stdout), { ok: true, warnings: [] })
  t.equal((await cms(['build', '-C', root])).code, 0)
  t.match(readFileSync(join(root, 'public/docs/api/index.html'), 'utf8'), /<nav class="side"[\s\S]*aria-current="page">API</)
})

t.test('a folder of content keeps it, and gets the templates of its starter', async (t) => {
  const root = mkdtempSync(join(tmpdir(), 'quire-mine-'))
  t.teardown(() => rmSync(root, { recursive: true, force: true, maxRetries: 3 }))
  t.equal((await cms(['init', root, '--no-git'])).code, 0)
  const before = readdirSync(join(root, 'content'), { recursive: true }).sort()
  t.equal((await cms(['init', root, '--template', 'docs', '--no-git'])).code, 0)
  t.strictSame(readdirSync(join(root, 'content'), { recursive: true }).sort(), before)
  t.ok(readdirSync(join(root, 'templates/site')).includes('docs.liquid'))
})

t.test('a starter that is none is refused, with those there are', async (t) => {
  const { code, stderr } = await cms(['init', '/nowhere', '--template', 'shop'])
  t.equal(code, 2)
  t.match(stderr, /blog, docs, blank/)
})

interface Axe {
  run(options: object): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }>
}

/** The bytes of the style sheets and scripts that a page names. */
function weightOf(html: string, out: string): number {
  const files = [...html.matchAll(/(?:href|src)="(\/[^"?]+\.(?:css|js))"/g)].map(([, path = '']) => path)
  return files.reduce((sum, path) => sum + gzipSync(readFileSync(join(out, path))).length, 0)
}

async function served(t: Test, folder: string): Promise<string> {
  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url ?? '/', 'http://localhost').pathname)
    const file = extname(path) === '' ? join(folder, path, 'index.html') : join(folder, path)
    try {
      const bytes = readFileSync(file)
      response.writeHead(200, { 'content-type': TYPES[extname(file)] ?? 'application/octet-stream' }).end(bytes)
    } catch {
      response.writeHead(404).end()
    }
  })
  t.teardown(() => new Promise((resolve) => server.close(resolve)))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
