import type { HealthProblem } from '#core/backend.ts'
import { isObject } from '#frontmatter/changes.ts'
import type { GitLock } from '#git/examination.ts'
import type { Fields } from '#lib/json.ts'
import { counted } from '#lib/text/counted.ts'
import type { FilesStore } from '../store.ts'

/** Milliseconds for which a lock is nothing to care about. */
const BRIEF_MS = 60_000

/** Reasons why there is no history, and how to get one. */
export const WITHOUT: Readonly<Record<string, Omit<HealthProblem, 'name'>>> = {
  none: {
    state: 'note',
    says: 'The site is in no repository: there is no history.',
    hint: '`cms init` makes one; all else works without.',
  },
  missing: {
    state: 'todo',
    says: 'The site is in a repository, but git is not installed: changes are not committed.',
    hint: 'Install git 2.36 or newer and see that PATH leads to it, or set git.enabled to false.',
  },
  old: {
    state: 'todo',
    says: 'git is older than 2.36: there is no history.',
    hint: 'Install a newer one. An older git can lose commits when the power fails.',
  },
  broken: {
    state: 'todo',
    says: 'git can’t use the repository of the site: changes are not committed.',
    hint: '`git status` says why. Mend it, or set git.enabled to false.',
  },
  off: { state: 'note', says: 'git.enabled is false: there is no history.' },
}

/**
 * Looks at the site's repository: whether commits can be made, and whether anything in it needs a person.
 */
export async function repository(store: FilesStore): Promise<HealthProblem[]> {
  const { git } = (await store.health()).details
  const state = isObject(git) ? git : {}
  const reason = WITHOUT[String(state.without)]
  if (reason) return [{ name: 'git', ...reason }]
  const found = await store.examine().catch(() => undefined)
  if (!found) return [{ name: 'git', state: 'todo', says: `${state.read_only} ${state.fault}`, hint: 'See `git fsck`.' }]
  const locks = found.locks.map(lock)
  return [standing(found.version, state), content(found), author(found.knowsAuthor), graph(state), ...locks]
}

function standing(version: string, { branch, commit, read_only }: Fields): HealthProblem {
  if (typeof read_only === 'string') {
    const hint = '`git status` says what to do. Reads go on meanwhile.'
    return { name: 'git', state: 'todo', says: read_only, hint }
  }
  const at = commit === null ? 'without a commit yet' : `at ${String(commit).slice(0, 7)}`
  return { name: 'git', state: 'ok', says: `${version}; on the branch ${branch}, ${at}.` }
}

function content({ uncommitted }: { readonly uncommitted: number }): HealthProblem {
  const name = 'uncommitted'
  if (uncommitted === 0) return { name, state: 'ok', says: 'All content is committed.' }
  const says = `${uncommitted} ${uncommitted === 1 ? 'file of content is' : 'files of content are'} not committed.`
  return { name, state: 'note', says, hint: 'They are served as they are. `git status` names them.' }
}

function author(isKnown: boolean): HealthProblem {
  if (isKnown) return { name: 'author', state: 'ok', says: 'git knows who is at work here.' }
  const says = 'git does not know who is at work here (user.name, user.email).'
  return { name: 'author', state: 'note', says, hint: 'Run: git config --global user.name "…" — and user.email likewise.' }
}

function graph({ commit_graph, packs, upkeep_fault }: Fields): HealthProblem {
  const name = 'upkeep'
  if (typeof upkeep_fault === 'string') return { name, state: 'todo', says: `git can't tidy up: ${upkeep_fault}` }
  if (commit_graph === 'whole') return { name, state: 'ok', says: `History is quick to walk; ${counted(Number(packs), 'pack')}.` }
  const hint = '`cms serve` writes it soon after its start, where core.commitGraph allows it.'
  return { name, state: 'note', says: 'There is no graph of commits yet, so that long histories are slow.', hint }
}

function lock({ path, age }: GitLock): HealthProblem {
  const seconds = Math.round(age / 1000)
  const since = seconds < 120 ? counted(seconds, 'second') : counted(Math.round(seconds / 60), 'minute')
  const says = `${path} has been there for ${since}: a git command is at work, or ended without taking it away. Until it is gone nothing is saved.`
  return { name: 'lock', state: age > BRIEF_MS ? 'todo' : 'note', says, hint: `If no git runs, remove it: rm ${path}` }
}
