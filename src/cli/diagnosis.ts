import { readFile, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import type { Quire } from './open.ts'
import { remote } from './remote-finding.ts'
import { repository } from './repository-findings.ts'

/** One thing that was looked at. `todo` needs doing; a `note` is worth knowing. */
export interface Finding {
  readonly name: string
  readonly state: 'ok' | 'note' | 'todo'
  readonly says: string
  readonly hint?: string
}

const CROWDED = 500
const LEAST_FREE = 200 * 1024 * 1024

/** Looks at what is around the content: the machine, git, the private folder, the shape of the content folder. */
export async function diagnose(site: Quire): Promise<Finding[]> {
  const findings = await Promise.all([
    nodeVersion(),
    repository(site),
    remote(site),
    configuration(site),
    store(site),
    content(site),
    crowdedFolders(site),
    privateFolder(site),
    watching(site),
    disk(site),
    server(site),
  ])
  return findings.flat()
}

function nodeVersion(): Finding {
  const [major = 0] = process.versions.node.split('.').map(Number)
  const says = `Node ${process.versions.node}`
  if (major % 2 === 0) return { name: 'node', state: 'ok', says }
  return { name: 'node', state: 'note', says: `${says}, which gets no long support.`, hint: 'An even version does.' }
}

function configuration(site: Quire): Finding {
  const { warnings, file } = site.loaded
  if (warnings.length > 0)
    return { name: 'configuration', state: 'todo', says: warnings.join(' '), hint: 'Mend cms.config.yaml.' }
  return { name: 'configuration', state: 'ok', says: file ? 'cms.config.yaml is valid.' : 'There is none; every default holds.' }
}

async function store(site: Quire): Promise<Finding> {
  const { ok, problems } = await site.store.health()
  return ok ? { name: 'store', state: 'ok', says: 'It answers.' } : { name: 'store', state: 'todo', says: problems.join(' ') }
}

async function content(site: Quire): Promise<Finding> {
  const problems = await site.store.problems()
  const unreadable = problems.filter((problem) => problem.severity === 'error').length
  let records = 0
  for (const kind of await site.store.kinds()) records += (await site.store.heads(kind, { limit: 0 })).total
  if (unreadable === 0) return { name: 'content', state: 'ok', says: `${records} records, all readable.` }
  return {
    name: 'content',
    state: 'todo',
    says: `${records} records are readable, ${unreadable} files are not.`,
    hint: '`cms check` says where and why.',
  }
}

/** Folders with many files make each commit slower, and a person's listing long. */
async function crowdedFolders(site: Quire): Promise<Finding> {
  const sizes = new Map<string, number>()
  for (const kind of await site.store.kinds()) {
    for (const { key } of (await site.store.heads(kind, {})).items) {
      const folder = [kind, ...key.id.split('~').slice(0, -1)].join('/')
      sizes.set(folder, (sizes.get(folder) ?? 0) + 1)
    }
  }
  const crowded = [...sizes].filter(([, size]) => size > CROWDED).sort((a, b) => b[1] - a[1])
  const [largest] = crowded
  if (!largest) return { name: 'folders', state: 'ok', says: `None holds over ${CROWDED} records.` }
  const says = `${crowded.length === 1 ? 'One holds' : `${crowded.length} hold`} over ${CROWDED} records (${largest[0]}: ${largest[1]}).`
  const [type = ''] = largest[0].split('/')
  const hint = `Set types.${type}.path, such as "{year}/{month}/{slug}": new records are then laid out in folders, which keeps commits quick.`
  return { name: 'folders', state: 'note', says, hint }
}

async function privateFolder(site: Quire): Promise<Finding> {
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

async function watching(site: Quire): Promise<Finding> {
  const limit = Number(await readFile('/proc/sys/fs/inotify/max_user_watches', 'utf8').catch(() => 'NaN'))
  if (Number.isNaN(limit)) return { name: 'watching', state: 'ok', says: 'This system sets no small limit.' }
  let records = 0
  for (const kind of await site.store.kinds()) records += (await site.store.heads(kind, { limit: 0 })).total
  if (records * 2 < limit) return { name: 'watching', state: 'ok', says: `${limit} files may be watched.` }
  const hint = 'Run: sudo sysctl fs.inotify.max_user_watches=524288'
  return { name: 'watching', state: 'todo', says: `Only ${limit} files may be watched, for ${records} records.`, hint }
}

function server(site: Quire): Finding {
  const running = site.server()
  return {
    name: 'server',
    state: 'ok',
    says: running ? `Process ${running.pid} serves the site at ${running.url}.` : 'None runs.',
  }
}

async function disk(site: Quire): Promise<Finding> {
  const { bavail, bsize } = await statfs(site.root)
  const free = bavail * bsize
  const says = `${Math.floor(free / 1024 / 1024).toLocaleString('en')} MiB are free.`
  if (free >= LEAST_FREE) return { name: 'disk', state: 'ok', says }
  return { name: 'disk', state: 'todo', says, hint: 'Free some space: a write needs room for a second copy of its file.' }
}
