import type { Fault } from './faults.ts'
import type { Config } from './schema.ts'
import { accessFaults } from './semantics/access.ts'
import { accountFaults } from './semantics/accounts.ts'
import { contentFaults } from './semantics/content.ts'
import { mediaFaults } from './semantics/media.ts'
import { settingFaults } from './semantics/settings.ts'
import { siteFaults } from './semantics/site.ts'

/**
 * Finds the semantic problems of a configuration that matches the schema: unknown names, folders outside the site, unreadable
 * rules. `folders` lists the folders of the content.
 */
export function meaningFaults(config: Config, folders: () => string[]): Fault[] {
  const places = siteFaults(config)
  const known = new Set([...Object.keys(config.types), ...(places.length > 0 ? [] : folders())])
  const content = [...contentFaults(config, known), ...settingFaults(config, known)]
  return [...places, ...content, ...accessFaults(config), ...accountFaults(config), ...mediaFaults(config)]
}
