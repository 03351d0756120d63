import type { Access } from '#core/access/access.ts'
import type { Health } from '#core/store.ts'
import type { Fields, Json } from '#lib/json.ts'
import { counted } from '#lib/text/counted.ts'
import { momentOf, type Telling } from '../rendering/moments.ts'

/** A fact about the site for the foot of the dashboard. */
export interface Fact {
  readonly label: string
  readonly text: string
  readonly is_code?: boolean
}

/** Reasons why there is no history, as the store names them. */
const WITHOUT: Readonly<Record<string, string>> = {
  none: 'None, so there is no history',
  off: 'Off, so there is no history',
  missing: 'git is not installed',
  old: 'git is too old',
  broken: 'git can’t use it',
}

/** Reasons that somebody should mend: changes were meant to be committed. */
const WRONG: ReadonlySet<string> = new Set(['missing', 'old', 'broken'])

/**
 * Returns where the content is, and how it stands with its repository and the remote of that. What changes with a draft is for those
 * who see everything.
 */
export function factsOf({ ok, details }: Health, isShared: boolean, seesWhole: boolean, telling: Telling): Fact[] {
  if (!ok) return [{ label: 'Storage', text: 'Can’t be reached' }]
  const place = { label: 'Storage', text: isShared ? 'Database' : 'Files' }
  if (!seesWhole) return [place]
  const storage = [place, { label: 'Documents', text: Number(details.documents).toLocaleString(telling.locale) }]
  const git = partOf(details.git)
  return git ? [...storage, ...repositoryFacts(git), ...remoteFacts(partOf(details.remote), telling)] : storage
}

function repositoryFacts({ without, branch, commit, fault }: Fields): Fact[] {
  const label = 'Repository'
  if (typeof without === 'string') return [{ label, text: WITHOUT[without] ?? without }]
  if (fault !== undefined) return [{ label, text: 'Can’t be read' }]
  return [
    { label, text: typeof branch === 'string' ? branch : 'On no branch' },
    ...(typeof commit === 'string' ? [{ label: 'Last commit', text: commit.slice(0, 7), is_code: true }] : []),
  ]
}

function remoteFacts(remote: Fields | undefined, telling: Telling): Fact[] {
  if (!remote) return []
  const { remote: name, ahead, behind, last_sync_at: at } = remote
  const parts = [
    ...(Number(ahead) > 0 ? [`${Number(ahead).toLocaleString(telling.locale)} to push`] : []),
    ...(Number(behind) > 0 ? [`${Number(behind).toLocaleString(telling.locale)} to pull`] : []),
  ]
  const text = ahead === null ? 'Not synced yet' : parts.length === 0 ? 'All pushed' : parts.join(', ')
  const synced = momentOf(at, telling)
  return [{ label: String(name), text }, ...(synced ? [{ label: 'Synced', text: synced.short }] : [])]
}

/** Returns the lines of "Needs you" about storage and git: why nothing can be saved for all, the rest for who runs the site. */
export function troubleLines({ ok, problems, readOnly, details }: Health, access: Access): object[] {
  const stands = readOnly === undefined ? [] : [line('Nothing can be saved now', readOnly)]
  if (!access.may('settings:write')) return stands
  const [git, remote] = [partOf(details.git) ?? {}, partOf(details.remote) ?? {}]
  const conflicts = Number(remote.conflicts ?? 0)
  return [
    ...stands,
    ...problems.map((problem) => line(ok ? 'The storage is slow to hear' : 'The storage does not answer', problem)),
    ...(WRONG.has(String(git.without)) ? [line('Changes are not committed', 'Run cms doctor: it says why.')] : []),
    ...(conflicts > 0
      ? [line(`${counted(conflicts, 'file')} changed on both sides`, 'Run cms sync: it shows them, and --prefer decides.')]
      : []),
    ...(remote.push === 'held'
      ? [line('Pushing waits for you', 'An unfinished edit was committed. See that it may be public, then run cms sync.')]
      : []),
    ...(typeof remote.error === 'string' ? [line('The last sync failed', remote.error)] : []),
  ]
}

function line(title: string, note: string): object {
  return { icon: 'warning', title, note }
}

function partOf(value: Json | undefined): Fields | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined
}
