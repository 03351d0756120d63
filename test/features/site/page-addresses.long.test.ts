import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { htmlAddresses } from '#core/links/html-addresses.ts'
import { pageFile, pageHref, type UrlStyle } from '#core/page-address.ts'
import { settingsOf } from '#core/settings.ts'
import { contentTypes } from '#core/types/types.ts'
import { publicSite } from '#support/public-site.ts'
import { eachStore } from '#support/stores.ts'

const STYLES: readonly UrlStyle[] = ['directory', 'slash', 'file']

const DOCUMENTS: Record<string, string> = {
  'content/index.md':
    '---\ntitle: Home\n---\n[a](/about/) [b](about.md#us) [c](/posts) [d](posts/p1.md?q) [e](/tags/x/index.html) [f](/old) <a href="/about/">g</a> [h](/feed.xml) [i](/page.html) [j](/page/1)\n',
  'content/about.md': '---\ntitle: About\naliases: [/old]\n---\nUs. [up](./) [posts](posts/)\n',
  'content/page.md': '---\ntitle: A file\npermalink: /page.html\n---\n',
  'content/docs/deep/one.md': '---\ntitle: One\n---\n',
  'content/docs/deep.md': '---\ntitle: Deep\n---\n',
  'content/authors/ada.yaml': 'title: Ada\n',
  'content/menus/main.yaml':
    'items:\n  - { label: Us, url: "/about/#us" }\n  - { record: { type: posts, id: p1 } }\n  - { label: Old, url: /old }\n  - { label: There, url: "https://example.com/x" }\n',
  'content/settings/site.yaml': 'more: /about/?x\n',
}
for (let n = 0; n < 12; n++)
  DOCUMENTS[`content/posts/p${n}.md`] =
    `---\ntitle: Post ${n}\ndate: 2025-01-${10 + n}\ntags: [x]\nauthor: ada\n---\n[next](p${(n + 1) % 12}.md)\n`

const TEMPLATES = {
  'templates/site/docs.liquid':
    '<a href="{{ "/about" | url }}">1</a><a href="{{ "/old/" | absolute_url }}">2</a><a href="{{ settings.site.more }}">3</a>{% for b in page.breadcrumbs %}<a href="{{ b.url }}">4</a>{% endfor %}<a href="{{ site.search }}">5</a><a href="{{ page.canonical }}">6</a>',
}

function typesOf(urls: UrlStyle) {
  return contentTypes({
    types: { docs: { template: 'docs' }, pages: {}, posts: {}, authors: {} },
    taxonomies: { tags: { singular: 'tag', hierarchical: false } },
    statuses: { draft: { live: false, to: [] }, published: { live: true, to: [] } },
    timezone: 'UTC',
    urls,
  })
}

/** The file that a host which serves in a way has at a path; undefined where it has none, or leads elsewhere first. */
function hosted(out: string, path: string, urls: UrlStyle): string | undefined {
  const name = decodeURIComponent(path.slice(1))
  const candidates = {
    directory: name.endsWith('/') ? [] : [name, join(name, 'index.html')],
    slash: name === '' || name.endsWith('/') ? [`${name}index.html`] : [name],
    file: name === '' ? ['index.html'] : name.endsWith('/') ? [] : [name, `${name}.html`],
  }[urls]
  return candidates.map((file) => join(out, file)).find((file) => existsSync(file) && statSync(file).isFile())
}

for (const urls of STYLES) {
  for (const base of ['', '/docs']) {
    t.test(`${urls}${base}: no click is a redirect, and a server answers what a host does`, (t) =>
      eachStore(t, { files: DOCUMENTS, types: typesOf(urls) }, async (t, opened) => {
        const names = { name: 'Site', url: `https://example.org${base}`, locale: 'en', timezone: 'UTC' }
        const { site, folder } = publicSite(t, opened, true, {
          files: TEMPLATES,
          settings: settingsOf({ 'site.more': { type: 'url' } }),
          config: {
            site: { ...names, content: 'content', templates: 'templates' },
            build: { base_url: null, drafts: false, future: false, urls },
            features: { sitemap: true, taxonomy: true, search: true },
            media: { types: [] },
          },
        })
        const { problems } = await site.build('public')
        t.same(problems, [])
        const out = folder.path('public')
        const seen = new Set<string>(['/'])
        const left = ['/']
        const note = (from: string) => (address: string) => {
          const url = new URL(address, `https://example.org${base}${from}`)
          if (url.origin !== 'https://example.org') return
          t.ok(url.pathname.startsWith(`${base}/`), `${address} on ${from}`)
          const path = url.pathname.slice(base.length)
          if (!seen.has(path)) left.push(path)
          seen.add(path)
        }
        for (let path = left.pop(); path !== undefined; path = left.pop()) {
          const file = hosted(out, path, urls)
          if (!t.ok(file, `${path} is a file`) || file === undefined) continue
          const text = readFileSync(file, 'utf8')
          const answer = await site.answer(base + path)
          t.equal(answer.status, 200, path)
          t.equal('body' in answer && String(answer.body), text, `the same bytes at ${path}`)
          t.notMatch(text, 'http-equiv="refresh"', path)
          if (file.endsWith('.html'))
            for (const { start, end } of htmlAddresses(text).found) note(path)(text.slice(start, end).replaceAll('&amp;', '&'))
          else for (const [address = ''] of text.matchAll(/(?<=<loc>|<id>|"url": ")https:[^<"]+/g)) note(path)(address)
        }
        const made = readdirSync(out, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.html'))
        const reached = new Set([...seen].flatMap((path) => hosted(out, path, urls) ?? []))
        const unseen = made.filter((name) => !reached.has(join(out, name))).sort()
        t.same(
          unseen,
          ['404.html', pageFile('/authors/ada', urls), pageFile('/docs/deep/one', urls), pageFile('/old', urls)]
            .sort()
            .filter((name) => unseen.includes(name)),
        )
        t.ok(seen.has(pageHref('/posts/page/2', urls)) && seen.has(pageHref('/tags/x', urls)))
        t.ok(seen.has(pageHref('/about', urls)) && seen.has(pageHref('/search', urls)))
      }),
    )
  }
}
