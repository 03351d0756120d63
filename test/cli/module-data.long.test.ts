import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { cms, type Running, scratchSite, start } from '#support/cli.ts'
import { git } from '#support/git.ts'
import { testDatabase } from '#support/postgres.ts'

const MODULE = {
  'modules/7plates/module.yaml': 'api: 1\nname: 7plates\nversion: 1.0.0\npermissions: [store]\n',
  'modules/7plates/index.js': `import { defineModule } from 'quire-cms/module'
export default defineModule({
  api: 1,
  collections: ['seen_cars'],
  fieldTypes: { plate: { base: 'number' } },
  commands: [{
    name: 'see',
    description: 'notes a car',
    arguments: [{ name: 'car' }],
    run: async ({ args, out }, { store }) => {
      const seen = store.collection('seen_cars')
      if (args[0]) await seen.put(args[0], { plate: 9, where: { town: 'Kiel' } })
      out.result((await seen.list()).items.map(({ id, fields }) => id + ' ' + fields.plate + ' ' + fields.where.town).join(', '))
      return 0
    },
  }],
})
`,
}
const CONFIG = 'modules: { enabled: [7plates] }\ntypes: { cars: { sort: plate, fields: { plate: { type: plate } } } }\n'
const FILES = {
  ...MODULE,
  '.gitignore': '.cms/\n',
  'cms.config.yaml': CONFIG,
  'content/cars/a.md': '---\ntitle: A\nplate: 10\n---\n',
  'content/cars/b.md': '---\ntitle: B\nplate: 9\n---\n',
}

/** A site with a module that keeps data, and a module published in its registry; and what is asked of it wherever it is kept. */
async function site(t: Test) {
  const url = await testDatabase(t)
  const root = scratchSite(t, FILES)
  const env = {
    DATABASE_URL: url,
    CMS_SECRET: 'a secret that is long enough to be one',
    GIT_CONFIG_GLOBAL: '/dev/null',
    HOME: root,
  }
  git(root, ['init', '-q', '-b', 'main'])
  git(root, ['add', '-A'])
  git(root, ['commit', '-q', '-m', 'Begin'])
  const run = (...args: string[]) => cms(args, { cwd: root, env })
  t.match(await run('7plates:see', 'red'), { code: 0, stdout: 'red 9 Kiel\n' })
  const token = (await run('token:create', '--name', 'publisher', '--scope', 'modules:publish')).stdout.trim()
  const server = await serve(root, env)
  const source = join(root, 'modules/7plates')
  const published = await cms(['module:publish', source, '--registry', server.url], { env: { ...env, CMS_TOKEN: token } })
  t.match(published, { code: 0 })
  const before = await answered(server.url)
  t.match(before.detail, { data: { name: '7plates', version: '1.0.0' } })
  await server.end()
  const storedIn = (driver: string) => writeFileSync(join(root, 'cms.config.yaml'), `storage: { driver: ${driver} }\n${CONFIG}`)
  return { root, env, run, before, storedIn }
}

async function serve(root: string, env: Record<string, string>) {
  const server: Running = start(['serve', '-C', root, '--port', '0'], { env })
  const [, url = ''] = await server.says(/Listening on (http:\/\/\S+)/)
  const end = async () => {
    server.process.kill('SIGTERM')
    await server.done
  }
  return { url, end }
}

/** The registry's answers, without the count of downloads. */
async function answered(url: string) {
  const detail = await (await fetch(`${url}/api/modules/7plates`)).json()
  const bytes = await (await fetch(`${url}/api/modules/7plates/1.0.0/download`)).arrayBuffer()
  return { detail: { ...detail, data: { ...detail.data, downloads: 0 } }, package: Buffer.from(bytes).toString('base64') }
}

async function isWhole(t: Test, root: string, env: Record<string, string>, before: object): Promise<void> {
  t.match(await cms(['7plates:see'], { cwd: root, env }), { code: 0, stdout: 'red 9 Kiel\n' })
  const list = JSON.parse((await cms(['list', 'cars', '--json'], { cwd: root, env })).stdout)
  t.strictSame(
    list.data.map(({ id }: { id: string }) => id),
    ['b', 'a'],
    'by number: the type of the field is known',
  )
  const { url, end } = await serve(root, env)
  t.strictSame(await answered(url), before)
  await end()
}

t.test('data of modules and what is published move into a database and back', async (t) => {
  const { root, env, run, before, storedIn } = await site(t)
  t.match(await run('storage:migrate', '--to', 'postgres'), { code: 0, stderr: /^(?!.*plate)/ })
  t.match(await run('storage:verify'), { code: 0, stdout: /^The same/ })
  storedIn('postgres')
  await isWhole(t, root, env, before)
  for (const name of ['content', '.git', '.cms']) rmSync(join(root, name), { recursive: true })
  t.match(await run('storage:migrate', '--to', 'files'), { code: 0 })
  storedIn('files')
  await isWhole(t, root, env, before)
})

t.test('a backup has them, of files and of a database', async (t) => {
  const { root, env, run, before, storedIn } = await site(t)
  const restored = async (name: string) => {
    t.match(await run('backup', `${name}.tar.gz`), { code: 0 })
    const target = join(scratchSite(t, {}), 'again')
    t.match(await run('restore', `${name}.tar.gz`, target), { code: 0 })
    writeFileSync(join(target, 'cms.config.yaml'), CONFIG)
    await isWhole(t, target, env, before)
  }
  await restored('files')
  t.match(await run('storage:migrate', '--to', 'postgres'), { code: 0 })
  storedIn('postgres')
  await restored('database')
  t.match(await cms(['7plates:see'], { cwd: root, env }), { stdout: 'red 9 Kiel\n' })
})
