import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { Agent, get } from 'node:http'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { cms, scratchSite, start, until } from '#support/cli.ts'

const CONFIG = 'modules: { enabled: [greet, broken] }\n'
const MANIFEST = 'api: 1\nname: greet\nversion: 1.0.0\npermissions: [store, routes:/api/greet]\n'

const codeOf = (word: string) => `import { defineModule } from 'quire-cms/module'
console.log('printed while it is loaded')
export default defineModule({
  api: 1,
  collections: ['notes'],
  commands: [{
    name: 'hello',
    description: 'says hello',
    arguments: [{ name: 'who', required: true }],
    options: [{ flags: '--loud', description: 'in capitals' }],
    run: async ({ args, options, out }, { store }) => {
      await store.collection('notes').put('last', { who: args[0] })
      out.result(options.loud ? \`HELLO \${args[0]}\` : \`hello \${args[0]}\`)
      return args[0] === 'nobody' ? 4 : 0
    },
  }],
  routes(app, { store }) {
    app.get('/api/greet', { auth: 'public' }, () => ({ data: '${word}' }))
    app.get('/api/greet/last', { auth: 'public' }, async () => ({ data: (await store.collection('notes').get('last'))?.fields.who ?? null }))
    app.get('/api/greet/stray', { auth: 'public' }, () => {
      Promise.reject(new Error('nobody handles this'))
      setTimeout(() => { throw new Error('nor this') })
      return { data: 'fine' }
    })
  },
})
`

function siteWith(t: Test): string {
  return scratchSite(t, {
    'cms.config.yaml': CONFIG,
    'content/posts/first.md': '---\ntitle: First\n---\n',
    'modules/greet/module.yaml': MANIFEST,
    'modules/greet/index.js': codeOf('one'),
    'modules/broken/module.yaml': MANIFEST.replace('greet', 'broken'),
    'modules/broken/index.js': "throw new Error('it is broken')\n",
  })
}

async function serve(t: Test, root: string) {
  const running = start(['serve', '--port', '0'], { cwd: root })
  t.teardown(() => running.process.kill('SIGKILL'))
  const [, url = ''] = await running.says(/^Listening on (http:\/\/127\.0\.0\.1:\d+)\n/)
  await running.says(/The module broken is off: it is broken/, 'stderr')
  return { running, url }
}

async function answerOf(url: string): Promise<unknown> {
  return (await fetch(url)).json()
}

t.test('a server takes up other files of a module without a request that is refused', async (t) => {
  const root = siteWith(t)
  const { running, url } = await serve(t, root)
  t.strictSame(await answerOf(`${url}/api/greet`), { data: 'one' })
  const agent = new Agent({ keepAlive: true, maxSockets: 4 })
  t.teardown(() => agent.destroy())
  const ask = () =>
    new Promise<string>((resolve, reject) => {
      get(`${url}/api/greet`, { agent }, (answer) => {
        let text = ''
        answer.setEncoding('utf8').on('data', (part) => {
          text += part
        })
        answer.on('end', () => resolve(`${answer.statusCode} ${text}`))
      }).on('error', reject)
    })
  const heard = new Set<string>()
  const asking = { isOver: false }
  const clients = Array.from({ length: 4 }, async () => {
    while (!asking.isOver) heard.add(await ask())
  })
  for (const word of ['two', 'three']) {
    writeFileSync(join(root, 'modules/greet/index.js'), codeOf(word))
    running.process.kill('SIGHUP')
    await until(
      () => answerOf(`${url}/api/greet`),
      (answer) => JSON.stringify(answer) === `{"data":"${word}"}`,
    )
  }
  writeFileSync(join(root, 'cms.config.yaml'), 'modules: [\n')
  running.process.kill('SIGHUP')
  await running.says(/The server goes on with the site as it was|goes on with the configuration it was started with/, 'stderr')
  asking.isOver = true
  await Promise.all(clients)
  t.strictSame([...heard].sort(), ['200 {"data":"one"}', '200 {"data":"three"}', '200 {"data":"two"}'])
  running.process.kill('SIGTERM')
  const end = await running.done
  t.equal(end.code, 143)
  t.equal(end.stdout, `Listening on ${url}\n`, 'stdout has the address and nothing else')
  t.match(end.stderr, /printed while it is loaded/)
})

t.test('what a module leaves unhandled does not end the server, and its commands work beside it', async (t) => {
  const root = siteWith(t)
  const { running, url } = await serve(t, root)
  t.strictSame(await answerOf(`${url}/api/greet/stray`), { data: 'fine' })
  await running.says(/greet[\s\S]*nobody handles this/, 'stderr')
  await running.says(/greet[\s\S]*nor this/, 'stderr')
  t.match(await cms(['greet:hello', 'Ada', '--loud'], { cwd: root }), { code: 0, stdout: 'HELLO Ada\n' })
  t.strictSame(await answerOf(`${url}/api/greet/last`), { data: 'Ada' })
  t.match(JSON.parse((await cms(['greet:hello', 'Bob', '--json'], { cwd: root })).stdout), { ok: true, data: 'hello Bob' })
  t.equal((await cms(['greet:hello', 'nobody'], { cwd: root })).code, 4)
  t.match(await cms(['greet:hello'], { cwd: root }), { code: 2, stderr: /'who'/ })
  t.match(await cms(['greet:helo', 'x'], { cwd: root }), { code: 2, stderr: /greet:hello/ })
  t.match(await cms(['completion', 'words', '--', 'cms', 'greet:'], { cwd: root }), { stdout: 'greet:hello\n' })
  t.match(await cms(['help', 'greet:hello'], { cwd: root }), { code: 0, stdout: /says hello/ })
  const doctor = await cms(['doctor'], { cwd: root })
  t.match(doctor, { code: 1, stdout: /On: greet 1\.0\.0\.[\s\S]*The module broken is off: it is broken/ })
  t.strictSame(
    readdirSync(join(root, 'modules/greet')).sort(),
    ['index.js', 'module.yaml'],
    'nothing is put beside the files of a module',
  )
  t.equal(readFileSync(join(root, '.cms/.gitignore'), 'utf8').includes('*'), true)
})
