import type { Fault } from './faults.ts'
import { accessFaults } from './meaning/access.ts'
import { accountFaults } from './meaning/accounts.ts'
import { contentFaults } from './meaning/content.ts'
import { siteFaults } from './meaning/site.ts'
import type { Config } from './schema.ts'

/** What a configuration of the right shape says that can't be: names of nothing, folders outside, rules that can't be read. `folders` lists the content's folders. */
export function meaningFaults(config: Config, folders: () => string[]): Fault[] {
  const places = siteFaults(config)
  const known = new Set([...Object.keys(config.types), ...(places.length > 0 ? [] : folders())])
  return [...places, ...contentFaults(config, known), ...accessFaults(config), ...accountFaults(config)]
}
