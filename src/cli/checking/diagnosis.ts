import { readFile, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import type { HealthProblem } from '#core/backend.ts'
import { asSentence } from '#features/modules/module-log.ts'
import { counted } from '#lib/text/counted.ts'
import type { Quire } from '../open/site.ts'
import { mediaHealth } from './media-problems.ts'
import { passedOverNote } from './passed-over.ts'

const LEAST_FREE = 200 * 1024 * 1024

/** Looks at what is around the content: the machine, the place that the content is kept in, the private folder. */
export async function diagnose(site: Quire): Promise<HealthProblem[]> {
  const found = await Promise.all([
    nodeVersion(),
    site.examine(),
    configuration(site),
    store(site),
    content(site),
    mediaHealth(site),
    privateFolder(site),
    disk(site),
    server(site),
    mail(site),
    modules(site),
  ])
  return found.flat()
}

function nodeVersion(): HealthProblem {
  const [major = 0] = process.versions.node.split('.').map(Number)
  const says = `Node ${process.versions.node}`
  if (major % 2 === 0) return { name: 'node', state: 'ok', says }
  return { name: 'node', state: 'note', says: `${says}, which gets no long support.`, hint: 'An even version does.' }
}

function configuration(site: Quire): HealthProblem {
  const { warnings, file } = site.loaded
  if (warnings.length > 0)
    return { name: 'configuration', state: 'todo', says: warnings.join(' '), hint: 'Mend cms.config.yaml.' }
  return { name: 'configuration', state: 'ok', says: file ? 'cms.config.yaml is valid.' : 'There is none; every default holds.' }
}

async function store(site: Quire): Promise<HealthProblem> {
  const { ok, problems } = await site.store.health()
  return ok ? { name: 'store', state: 'ok', says: 'It answers.' } : { name: 'store', state: 'todo', says: problems.join(' ') }
}

async function content(site: Quire): Promise<HealthProblem> {
  const problems = await site.store.problems()
  const unreadable = problems.filter((problem) => problem.severity === 'error').length
  let records = 0
  for (const kind of await site.store.kinds()) records += (await site.store.heads(kind, { limit: 0 })).total
  const note = await passedOverNote(site)
  const rest = note === undefined ? '' : ` ${note}`
  if (unreadable === 0) return { name: 'content', state: 'ok', says: `${counted(records, 'record')}, all readable.${rest}` }
  return {
    name: 'content',
    state: 'todo',
    says: `${counted(records, 'record is', 'records are')} readable, ${counted(unreadable, 'file is', 'files are')} not.${rest}`,
    hint: '`cms check` says where and why.',
  }
}

async function privateFolder(site: Quire): Promise<HealthProblem> {
  const name = site.config.storage.private_dir
  const found = await stat(site.privateDir).catch(() => undefined)
  if (!found) return { name: 'private', state: 'ok', says: `${name} is not there yet.` }
  const ignored = await readFile(join(site.privateDir, '.gitignore'), 'utf8').catch(() => '')
  if (!ignored.includes('*')) {
    return {
      name: 'private',
      state: 'todo',
      says: `${name} is not kept out of git.`,
      hint: `Run: printf '*\\n' > ${name}/.gitignore`,
    }
  }
  if (process.platform !== 'win32' && (found.mode & 0o077) !== 0) {
    return {
      name: 'private',
      state: 'todo',
      says: `${name} can be read by others on this machine.`,
      hint: `Run: chmod 700 ${name}`,
    }
  }
  return { name: 'private', state: 'ok', says: `${name} is yours alone.` }
}

/** Checks the mail transport. Without sign-in no mail is sent. */
async function mail(site: Quire): Promise<HealthProblem[]> {
  if (!site.config.features.auth) return []
  return [await site.mail().examine()]
}

/** The modules that are off, with the reasons, and the events that listeners failed to take. */
async function modules(site: Quire): Promise<HealthProblem[]> {
  if (site.modules.on.length === 0 && site.modules.off.length === 0) return []
  const { countAside } = await import('#features/modules/hooks/listeners.ts')
  const { host, declare } = site.features.modules
  await declare()
  const off = host.off().map(
    ({ name, reason, hint = 'Mend the module, or take it out of modules.enabled.' }): HealthProblem => ({
      ...{ name: 'module', state: 'todo' },
      says: `The module ${name} is off: ${asSentence(reason)}`,
      hint,
    }),
  )
  const aside: HealthProblem[] = []
  for (const { module } of host.on()) {
    const count = await countAside(site.ledger, module.name)
    const says = `Of the module ${module.name} ${counted(count, 'event was', 'events were')} set aside in 30 days.`
    if (count > 0) aside.push({ name: 'module', state: 'note', says, hint: 'The log of the server says why.' })
  }
  const names = host.on().map(({ module }) => `${module.name} ${module.version}`)
  const on: HealthProblem[] = names.length > 0 ? [{ name: 'modules', state: 'ok', says: `On: ${names.join(', ')}.` }] : []
  return [...on, ...off, ...aside]
}

function server(site: Quire): HealthProblem {
  const running = site.server()
  return {
    name: 'server',
    state: 'ok',
    says: running ? `Process ${running.pid} serves the site at ${running.url}.` : 'None runs.',
  }
}

async function disk(site: Quire): Promise<HealthProblem> {
  const { bavail, bsize } = await statfs(site.root)
  const free = bavail * bsize
  const says = `${Math.floor(free / 1024 / 1024).toLocaleString('en')} MiB are free.`
  if (free >= LEAST_FREE) return { name: 'disk', state: 'ok', says }
  return { name: 'disk', state: 'todo', says, hint: 'Free some space: a write needs room for a second copy of its file.' }
}
