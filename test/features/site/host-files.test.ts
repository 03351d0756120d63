import { existsSync, readdirSync, readFileSync } from 'node:fs'
import t from 'tap'
import { TestApp } from '#support/app.ts'
import { longTest } from '#support/long.ts'
import { publicSite } from '#support/public-site.ts'
import { eachStore } from '#support/stores.ts'

const FILES = {
  'content/index.md': '---\ntitle: Home\n---\n',
  'content/a.md': '---\ntitle: A\naliases: [/old]\n---\n',
}
const TAKEN = {
  'static/_headers': '/*\n  X-Frame-Options: DENY\n',
  'static/_redirects': '/old /mine 302',
  'static/_routes.json': '{}',
  'static/.nojekyll': '',
  'static/.domains': 'example.org\n',
  'static/CNAME': 'example.org\n',
  'static/.well-known/security.txt': 'Contact: mailto:a@example.org\n',
  'static/.well-known/deep/apple-app-site-association': '{}',
}
const NEVER = [
  '.env',
  '.env.local',
  '.git',
  '.git/config',
  '.DS_Store',
  '.htpasswd',
  '_drafts/a.txt',
  '_secret.txt',
  'sub/_headers',
  'sub/.nojekyll',
  'sub/.well-known/x.txt',
  '.well-known/.env',
  '.well-known/_x',
  '.well-known/quire/preview/x.txt',
  '.Well-Known/x.txt',
  '_Headers',
]

longTest('what hosts need of static is built, what is well known is served, and no other name with a dot or _ is either', (t) => {
  const hidden = Object.fromEntries(NEVER.filter((name) => name !== '.git').map((name) => [`static/${name}`, 'SECRET']))
  return eachStore(t, { files: FILES, beside: TAKEN }, async (t, opened) => {
    for (const [name, text] of Object.entries(hidden)) opened.site?.write(name, text)
    const { site, folder } = publicSite(t, opened, false, { siteFiles: opened.siteFiles })
    const { problems } = await site.build('public')
    t.same(problems, [])
    const read = (file: string) => readFileSync(folder.path(`public/${file}`), 'utf8')
    for (const [file, text] of Object.entries(TAKEN)) {
      const name = file.slice('static/'.length)
      t.equal(read(name), name === '_redirects' ? '/old /mine 302\n/old /a 301\n' : text, name)
    }
    const built = readdirSync(folder.path('public'), { recursive: true, encoding: 'utf8' })
    for (const name of NEVER) t.notOk(built.includes(name) && name !== '.git', name)
    t.notOk(existsSync(folder.path('public/sub')))
    t.match(await site.build('public'), { written: 0, removed: 0, problems: [] })
    for (const name of [...NEVER, '_headers', '_redirects', '_routes.json', '.nojekyll', '.domains'])
      t.equal((await site.answer(`/${name}`)).status, 404, name)

    const app = new TestApp(opened, { config: { features: { site: true } } })
    t.teardown(() => app.close())
    const served = await app.bare('GET /.well-known/security.txt')
    t.match(served, { status: 200, text: 'Contact: mailto:a@example.org\n' })
    for (const name of ['.well-known/.env', '.well-known/none.txt', '.well-known/quire/preview/x.txt', '.well-known', '.env'])
      t.equal((await app.bare(`GET /${name}`)).status, 404, name)
  })
})

t.test('redirects of aliases stand alone where a site has no rules, and rules of a site where there are no aliases', (t) =>
  eachStore(
    t,
    { files: { 'content/a.md': '---\ntitle: A\n---\n' }, beside: { 'static/_redirects': '/x /y\n' } },
    async (t, opened) => {
      const { site, folder } = publicSite(t, opened, false, { siteFiles: opened.siteFiles })
      await site.build('public')
      t.equal(readFileSync(folder.path('public/_redirects'), 'utf8'), '/x /y\n')
    },
  ),
)
