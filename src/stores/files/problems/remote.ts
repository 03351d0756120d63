import type { HealthProblem } from '#core/backend.ts'
import type { Store } from '#core/store.ts'
import { isObject } from '#frontmatter/changes.ts'
import { counted } from '#lib/text/counted.ts'

/** Reports the state of the site relative to its remote, as of the last check. */
export async function remote(store: Store): Promise<HealthProblem> {
  const { remote: state } = (await store.health()).details
  if (!isObject(state)) return { name: 'remote', state: 'ok', says: 'There is none to sync with.' }
  const name = `${state.remote}/${state.branch}`
  const distance = state.ahead === null ? 'not synced yet' : `${state.ahead} ahead, ${state.behind} behind`
  const says = `${name}: ${distance}, ${counted(Number(state.conflicts), 'conflict')}, push ${state.push}${state.last_sync_at === null ? '' : `, synced ${state.last_sync_at}`}.`
  if (Number(state.conflicts) > 0) {
    return { name: 'remote', state: 'todo', says, hint: '`cms sync` shows what both sides changed; --prefer decides.' }
  }
  if (state.push === 'held') {
    const hint = "An author's unfinished edit was committed. See that it may be public, then run `cms sync`."
    return { name: 'remote', state: 'todo', says, hint }
  }
  if (state.error !== null)
    return { name: 'remote', state: 'todo', says: `${says} ${state.error}`, hint: '`cms sync` tries again.' }
  return { name: 'remote', state: 'ok', says }
}
