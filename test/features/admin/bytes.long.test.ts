import { readFileSync } from 'node:fs'
import t from 'tap'
import { keyOf } from '#core/key.ts'
import { git } from '#support/git.ts'
import { formIn } from '#support/page-form.ts'
import { panelOf } from '#support/panel.ts'
import { EDITED, writtenDocuments } from '../../panel/written-documents.ts'

const BASE = '/admin/content/posts'
const DOCUMENTS = writtenDocuments(150)
const FILES = Object.fromEntries(DOCUMENTS.map((text, n) => [`content/posts/p${n}.md`, text]))

t.test('a page that is sent back as it came changes no byte', (t) =>
  panelOf(
    t,
    FILES,
    async (t, { browser, opened }) => {
      const commits = () => opened.site && git(opened.site.root, ['rev-list', '--count', 'HEAD'])
      const before = commits()
      for (const n of DOCUMENTS.keys()) {
        const version = (await opened.store.get(keyOf('posts', `p${n}`)))?.version
        const edit = await browser.get(`${BASE}/p${n}/edit`)
        const answer = await browser.post(`${BASE}/p${n}`, { ...formIn(edit.html, `${BASE}/p${n}`), do: 'save' })
        if (answer.location === `${BASE}/p${n}/edit?done=nothing`) continue
        t.fail(`${JSON.stringify(DOCUMENTS[n])}: ${answer.status} ${answer.location ?? ''}`)
        t.equal((await opened.store.get(keyOf('posts', `p${n}`)))?.version, version)
      }
      for (const [path, text] of Object.entries(FILES))
        if (opened.site && readFileSync(opened.site.path(path), 'utf8') !== text) t.fail(`${path} has other bytes`)
      t.equal(commits(), before, 'nothing was committed')
    },
    { site: { history: true } },
  ),
)

t.test('a word that is changed changes its own line', (t) =>
  panelOf(t, FILES, async (t, { browser, opened }) => {
    const { site } = opened
    for (const [n, text] of DOCUMENTS.entries()) {
      if (n % 5 !== 0 || !text.includes(EDITED)) continue
      const key = keyOf('posts', `p${n}`)
      const edit = await browser.get(`${BASE}/p${n}/edit`)
      const form = formIn(edit.html, `${BASE}/p${n}`)
      const body = String(form.body).replace(EDITED, 'another')
      const answer = await browser.post(`${BASE}/p${n}`, { ...form, body, do: 'save' })
      t.match(answer.location, /done=saved/, text)
      t.ok((await opened.store.get(key))?.body.includes('another'))
      if (site) t.equal(readFileSync(site.path(`content/posts/p${n}.md`), 'utf8'), text.replace(EDITED, 'another'))
    }
  }),
)
