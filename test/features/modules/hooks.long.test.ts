import t from 'tap'
import { moduleWorkers } from '#features/modules/hooks/module-jobs.ts'
import type { ModuleEvent, RecordWrite } from '#module/module.ts'
import { MemoryJobs, MemoryQueue } from '#support/memory-jobs.ts'
import type { TestModule } from '#support/misbehaving.ts'
import { appWith } from '#support/modules.ts'
import { eachStore } from '#support/stores.ts'

const FILES = { 'content/posts/first.md': '---\ntitle: First\nstatus: published\n---\nHello.\n' }
const READS = ['store', 'jobs', 'site', 'records:content:read', 'records:content:drafts', 'records:content:write']

t.test('a check refuses a write with errors by field, whichever way it is made', async (t) => {
  await eachStore(t, { files: FILES, history: true }, async (t, opened) => {
    const seen: RecordWrite[] = []
    const module: TestModule = {
      permissions: READS,
      definition: {
        checks: {
          'record.write': async (write) => {
            seen.push(write)
            return write.record.title === 'x' || (write.action === 'delete' && write.id === 'first')
              ? { title: ['Say more.'] }
              : undefined
          },
        },
      },
    }
    const { app } = appWith(t, opened, [module])
    const refused = await app.ask('POST /api/cms/posts', { body: { title: 'x' } })
    t.match(refused, { status: 422, body: { errors: { title: ['Say more.'] } } })
    t.equal((await app.ask('PUT /api/cms/posts/first', { body: { title: 'x' } })).status, 422)
    t.equal((await app.ask('DELETE /api/cms/posts/first')).status, 422)
    const bulk = await app.ask('POST /api/cms/posts/actions', { body: { ids: ['first'], set: { title: 'x' } } })
    t.not(bulk.status, 200)
    t.equal((await app.ask('PUT /api/cms/posts/first', { body: { title: 'Fine' } })).status, 200)
    t.match(seen.at(-1), { action: 'update', type: 'posts', id: 'first', record: { title: 'Fine', body: /Hello/ } })
    t.match(seen[0], { action: 'create', id: undefined, record: { title: 'x' } })
  })
})

t.test('listeners hear each event once and in order, and again where they fail', async (t) => {
  await eachStore(t, { files: FILES, history: true }, async (t, opened) => {
    const heard: ModuleEvent[] = []
    let failures = 2
    const module: TestModule = {
      permissions: READS,
      definition: {
        on: {
          'record.*': (event) => {
            if (failures-- > 0) throw new Error('not now')
            heard.push(event)
          },
        },
      },
    }
    const deaf: TestModule = {
      name: 'deaf',
      permissions: [],
      definition: { on: { 'record.*': () => void heard.push({} as ModuleEvent) } },
    }
    const { app, lines } = appWith(t, opened, [module, deaf])
    await app.app.ready()
    const { lives } = app.features.modules
    await lives.begin()
    // The first look begins with what comes from then on.
    await app.features.events.due()
    for (const title of ['One', 'Two']) await app.ask('POST /api/cms/posts', { body: { title, status: 'draft' } })
    await app.features.events.due()
    await lives.run()
    t.strictSame(heard, [], 'it has failed once')
    opened.clock.advance(1_001)
    await lives.run()
    opened.clock.advance(4_001)
    await lives.run()
    t.strictSame(
      heard.map(({ type, data }) => [type, data.id]),
      [
        ['record.created', 'one'],
        ['record.created', 'two'],
      ],
    )
    await lives.run()
    t.equal(heard.length, 2, 'none is told again')
    t.equal(lines.filter(({ message }) => message.includes('told again')).length, 2)
    failures = 6
    await app.ask('POST /api/cms/posts', { body: { title: 'Three', status: 'draft' } })
    await app.features.events.due()
    for (let n = 0; n < 6; n++) {
      await lives.run()
      opened.clock.advance(2_000_000)
    }
    t.equal(lines.filter(({ message }) => message.includes('set aside')).length, 1, 'after six times it is set aside')
    await app.ask('POST /api/cms/posts', { body: { title: 'Four', status: 'draft' } })
    await app.features.events.due()
    await lives.run()
    t.equal(heard.at(-1)?.data.id, 'four', 'and those after it are told')
  })
})

t.test('migrations run once, before anything else; jobs by the clock once for all nodes', async (t) => {
  await eachStore(t, {}, async (t, opened) => {
    const runs: string[] = []
    const module: TestModule = {
      permissions: READS,
      definition: {
        collections: ['notes'],
        migrations: [
          { number: 2, run: async () => void runs.push('two') },
          {
            number: 1,
            run: async ({ store }) => {
              runs.push('one')
              await store.collection('notes').put('a', { made: true })
            },
          },
        ],
        begin: () => void runs.push('begin'),
        jobs: { sweep: { every: '1h', run: async () => void runs.push('sweep') } },
      },
    }
    const queue = new MemoryQueue()
    const deps = { jobs: () => new MemoryJobs(queue, opened.clock) }
    const [one, two] = [appWith(t, opened, [module], { deps }), appWith(t, opened, [module], { deps })]
    const [first, second] = [one.app.features.modules.lives, two.app.features.modules.lives]
    await Promise.all([first.begin(), second.begin()])
    t.strictSame(
      runs.filter((run) => run === 'one' || run === 'two'),
      ['one', 'two'],
    )
    t.equal(runs.lastIndexOf('two') < runs.indexOf('begin'), true)
    await first.run()
    await second.run()
    t.equal(queue.waiting()[0]?.count, 1, 'one job was added, by one of them')
  })
})

t.test('a job that fails is logged once for each reason', async (t) => {
  await eachStore(t, {}, async (t, opened) => {
    const reasons = ['away', 'away', 'full', undefined, 'full']
    const run = async () => {
      const reason = reasons.shift()
      if (reason) throw new Error(reason)
    }
    const { app } = appWith(t, opened, [{ permissions: READS, definition: { jobs: { sweep: { run } } } }])
    const said: string[] = []
    const [[name, worker] = []] = Object.entries(moduleWorkers(app.features.modules.host, ({ message }) => said.push(message)))
    for (const reason of [...reasons]) {
      const work = worker?.work({ name: name ?? '', data: null }, new AbortController().signal)
      await (reason ? t.rejects(work ?? Promise.resolve(), new Error(reason)) : work)
    }
    const failed = 'The job "sweep" failed, and is tried again:'
    t.strictSame(said, [`${failed} away`, `${failed} full`, `${failed} full`])
  })
})

t.test('visited hears of pages that were answered, and of nothing else', async (t) => {
  await eachStore(t, { files: FILES }, async (t, opened) => {
    const paths: string[] = []
    const module = (name: string, permissions: string[]): TestModule => ({
      name,
      permissions,
      definition: {
        visited: ({ path, headers, isSignedIn, method }) => {
          paths.push([name, method, path, headers.authorization ?? headers.cookie ?? 'none', isSignedIn].join(' '))
        },
      },
    })
    const config = { features: { site: true } }
    const { app } = appWith(t, opened, [module('allowed', ['site']), module('other', ['store'])], { config })
    const page = await app.bare('GET /posts/first?utm=1', { headers: { cookie: 'cms_session=abc', authorization: 'Bearer x' } })
    t.equal(page.status, 200)
    await app.bare('GET /posts/first', { headers: { 'if-none-match': String(page.headers.etag) } })
    await app.bare('GET /nowhere')
    await app.ask('GET /api/cms/posts')
    const { host } = app.features.modules
    const allowed = host.find('allowed')
    if (allowed) host.switchOff(allowed.module, 'It is switched off.')
    await app.bare('GET /posts/first')
    await app.app.close()
    t.strictSame(paths, ['allowed GET /posts/first none true', 'allowed GET /posts/first none false'])
  })
})
