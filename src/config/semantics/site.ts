import { isIP } from 'node:net'
import { posix } from 'node:path'
import { PathAliases } from '#git/files/path-aliases.ts'
import { parseDuration } from '#lib/duration.ts'
import { type Fault, valueFault } from '../faults.ts'
import type { Config } from '../schema.ts'
import type { KeyPath } from '../source.ts'

/** Finds the semantic problems in `site`, `server`, `build`, `storage` and `auth.session`, once they match the schema. */
export function siteFaults(config: Config): Fault[] {
  return [
    ...addressFaults(config),
    ...placeFaults(config),
    ...folderFaults(config),
    ...proxyFaults(config),
    ...storageFaults(config),
  ]
}

function addressFaults({ site, build }: Config): Fault[] {
  const faults: Fault[] = []
  if (!isPlainAddress(site.url)) faults.push(badAddress(['site', 'url']))
  if (build.base_url !== null && !isPlainAddress(build.base_url)) faults.push(badAddress(['build', 'base_url']))
  return faults
}

/** Returns whether a text is an http or https address without a query, a fragment or a user. */
export function isPlainAddress(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { hostname, search, hash, username, password } = new URL(text)
  return hostname !== '' && `${search}${hash}${username}${password}` === '' && !/[?#]/.test(text)
}

function badAddress(path: KeyPath): Fault {
  return valueFault(
    path,
    'must be an http or https address without a query: https://example.org.',
    'Write scheme and host, and a path if there is one.',
  )
}

function placeFaults({ site, auth }: Config): Fault[] {
  const faults: Fault[] = []
  if (!isZone(site.timezone)) {
    faults.push(
      valueFault(
        ['site', 'timezone'],
        `must be an IANA time zone; "${site.timezone}" is none.`,
        'For instance UTC or Europe/Vienna.',
      ),
    )
  }
  if (!isLocale(site.locale)) {
    faults.push(
      valueFault(['site', 'locale'], `must be a BCP 47 language; "${site.locale}" is none.`, 'For instance en or de-AT.'),
    )
  }
  if ((parseDuration(auth.session.idle) ?? 0) > (parseDuration(auth.session.max) ?? 0)) {
    faults.push(valueFault(['auth', 'session', 'idle'], `must not be longer than auth.session.max (${auth.session.max}).`))
  }
  return faults
}

function isZone(name: string): boolean {
  // An offset such as +02:00 is taken by Intl, and is no zone: it knows no summer time.
  if (name === 'UTC' || /^[+-]/.test(name)) return name === 'UTC'
  return succeeds(() => new Intl.DateTimeFormat('en', { timeZone: name }))
}

function isLocale(name: string): boolean {
  // Longer ones are well-formed, and there is no language that has one: english, german.
  return /^[a-z]{2,3}(?:-|$)/i.test(name) && succeeds(() => Intl.getCanonicalLocales(name))
}

function succeeds(attempt: () => unknown): boolean {
  try {
    attempt()
    return true
  } catch {
    return false
  }
}

/** The folder of files that are served and built as they lie. */
const STATIC = 'static'

function folderFaults({ site, storage, build }: Config): Fault[] {
  const folders: [KeyPath, string][] = [
    [['site', 'content'], site.content],
    [['site', 'templates'], site.templates],
    [['storage', 'private_dir'], storage.private_dir],
    [['build', 'out'], build.out],
  ]
  const outside = folders.filter(([, folder]) => !isInside(folder))
  if (outside.length > 0)
    return outside.map(([path]) => valueFault(path, 'must be a folder inside the site: no "..", no absolute path.'))
  // Below the content folder these say which of their files are drafts and when others begin; the folder itself is never asked.
  const jekyll = /(?:^|\/)(_posts|_drafts)(?:\/|$)/.exec(site.content)?.[1]
  if (jekyll !== undefined)
    return [
      valueFault(
        ['site', 'content'],
        `must not be within ${jekyll}.`,
        `Put ${jekyll} as it is into a folder for content, and name that one.`,
      ),
    ]
  const open = folders.find(([, folder]) => overlap(folder, STATIC))
  if (open)
    return [valueFault(open[0], `overlaps with ${STATIC}, whose files are public as they lie.`, 'Give it a folder of its own.')]
  return folders.flatMap(([path, folder], index) => {
    const other = folders.slice(0, index).find(([, earlier]) => overlap(folder, earlier))
    return other ? [valueFault(path, `overlaps with ${other[0].join('.')} ("${other[1]}").`, 'Give each its own folder.')] : []
  })
}

function isInside(folder: string): boolean {
  if (folder.startsWith('/') || /^[A-Za-z]:|[\\\p{Cc}]/u.test(folder)) return false
  const segments = folder.replace(/\/$/, '').split('/')
  return segments.every((segment) => segment !== '' && segment !== '.' && segment !== '..' && !overlap('.git', segment))
}

/** Returns whether one folder is another, or in it, on any disk: some ignore case. */
function overlap(one: string, other: string): boolean {
  const [folder, path] = [one, other].map((name) => posix.normalize(name).replace(/\/$/, '')) as [string, string]
  return new PathAliases(folder).below(path) !== undefined
}

function proxyFaults({ server }: Config): Fault[] {
  const list = typeof server.trust_proxy === 'object' ? server.trust_proxy : []
  return list.flatMap((entry, index) =>
    isNetwork(entry)
      ? []
      : [valueFault(['server', 'trust_proxy', index], 'must be an address or a CIDR block such as 10.0.0.0/8.')],
  )
}

function isNetwork(text: string): boolean {
  const [address = '', bits, ...more] = text.split('/')
  const family = isIP(address)
  if (family === 0 || more.length > 0) return false
  return bits === undefined || (/^[0-9]{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128))
}

/** Checks the storage settings. The message does not show the address: it may contain a password. */
function storageFaults({ storage }: Config): Fault[] {
  if (storage.driver === 'files' || isDatabase(storage.url)) return []
  return [
    valueFault(
      ['storage', 'url'],
      'must be the address of a PostgreSQL database.',
      'Write postgres://user@host:5432/database, or have a variable such as DATABASE_URL say so; a password with signs such as @ or / in it is percent-encoded.',
    ),
  ]
}

function isDatabase(text: string): boolean {
  return URL.canParse(text) && /^postgres(?:ql)?:$/.test(new URL(text).protocol)
}
