import { spawnSync } from 'node:child_process'
import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { scratchSite } from '#support/cli.ts'

const ROOT = process.cwd()
const TSC = join(ROOT, 'node_modules/typescript/bin/tsc')

const GOOD = `import { defineModule, ModuleError, throttle, validate } from 'quire-cms/module'
import type { ModuleContext } from 'quire-cms/module'

const greet = (context: ModuleContext): string => context.site.name
export default defineModule({
  api: 1,
  collections: ['notes'],
  routes(app, context) {
    app.group({ prefix: '/api/x/notes', use: [throttle('60,1')] }, (group) => {
      group.post('/', { body: validate({ title: 'required' }) }, async ({ body, reply }) => {
        if (body.title === greet(context)) throw new ModuleError(422, 'Say more.', { title: ['Say more.'] })
        return reply.code(201).send({ data: (await context.store.collection('notes').put('a', body)).fields })
      })
    })
  },
  checks: { 'record.write': ({ record }) => (record.title === 'x' ? { title: ['Say more.'] } : undefined) },
})
`
const WRONG = `import { defineModule } from 'quire-cms/module'
export default defineModule({ api: 1, jobs: { sweep: { every: '1h' } } })
`

t.test('the types of a module are those of an installed package', async (t) => {
  const root = scratchSite(t, { 'package.json': '{"type":"module"}', 'good.ts': GOOD, 'wrong.ts': WRONG })
  mkdirSync(join(root, 'node_modules'))
  symlinkSync(ROOT, join(root, 'node_modules/quire-cms'))
  const check = (file: string) => {
    const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'esnext']
    return spawnSync(process.execPath, [TSC, ...options, file], { cwd: root, encoding: 'utf8' })
  }
  const good = check('good.ts')
  t.equal(good.status, 0, good.stdout)
  t.match(check('wrong.ts').stdout, /Property 'run' is missing/)
})
