import t from 'tap'
import { cms, scratchSite } from '#support/cli.ts'

t.test('publish:due says that nothing is due', async (t) => {
  const root = scratchSite(t, { 'cms.config.yaml': '', 'content/posts/old.md': '---\ntitle: Old\ndate: 2020-01-01\n---\n' })
  t.match(await cms(['publish:due'], { cwd: root }), { code: 0, stdout: '', stderr: /Nothing is due\./ })
  t.match(JSON.parse((await cms(['publish:due', '--json'], { cwd: root })).stdout), { ok: true, data: [] })
})

t.test('publish:due says where events are off', async (t) => {
  const root = scratchSite(t, { 'cms.config.yaml': 'features: { events: false }\n', 'content/a.md': '---\ntitle: A\n---\n' })
  t.match(await cms(['publish:due'], { cwd: root }), { code: 4, stderr: /switched off[\s\S]*fix: Set/ })
})
