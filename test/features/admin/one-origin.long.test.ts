import t from 'tap'
import { panelOf } from '#support/panel.ts'
import { plainTypes } from '#support/types.ts'

const FILES = {
  'content/pages/wild.md': '---\ntitle: Wild\n---\n<script>fetch("/admin")</script>\n',
  'content/index.md': '---\ntitle: Home\n---\n<b onclick="x()">Home</b>\n',
  'content/posts/tame.md': '---\ntitle: Tame\n---\nText.\n',
}
const SITE = { types: plainTypes({ pages: { permalink: '/{path}', html: 'trusted' }, posts: {} }) }
const SANDBOX = 'sandbox allow-scripts allow-forms allow-popups; '

const policyAt = async (app: Parameters<Parameters<typeof panelOf>[2]>[1]['app'], path: string, host: string) => {
  const { status, headers } = await app.bare(`GET ${path}`, { headers: { host } })
  return { status, policy: String(headers['content-security-policy']) }
}

t.test('pages with HTML of their authors have no part in the origin of the panel', (t) =>
  panelOf(
    t,
    FILES,
    async (t, { app }) => {
      for (const path of ['/wild', '/']) {
        const { status, policy } = await policyAt(app, path, 'localhost')
        t.equal(status, 200)
        t.ok(policy.startsWith(SANDBOX), path)
        t.notMatch(policy, 'allow-same-origin')
      }
      t.notMatch((await policyAt(app, '/posts/tame', 'localhost')).policy, 'sandbox', 'cleaned pages need none')
    },
    { site: SITE },
  ),
)

t.test('a panel on a host of its own leaves the site its origin, and shares its own with no page', (t) =>
  panelOf(
    t,
    FILES,
    async (t, { app }) => {
      const site = await policyAt(app, '/wild', 'example.org')
      t.equal(site.status, 200)
      t.notMatch(site.policy, 'sandbox')
      t.equal((await policyAt(app, '/admin/login', 'example.org')).status, 404)
      t.ok((await policyAt(app, '/wild', 'localhost')).policy.startsWith(SANDBOX), 'the same page by the host of the panel')
    },
    { site: SITE, config: { admin: { url: 'http://localhost' } } },
  ),
)

t.test('a site without a panel leaves its pages their origin', (t) =>
  panelOf(t, FILES, async (t, { app }) => void t.notMatch((await policyAt(app, '/wild', 'localhost')).policy, 'sandbox'), {
    site: SITE,
    config: { features: { api: true, auth: true, site: true } },
  }),
)
