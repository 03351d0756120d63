import type { ResourceDefinition } from '#module/panel.ts'
import type { ResourceGroup } from '../../resource.ts'

/** The groups of the panel by those that modules name. */
export const PANEL_GROUPS: Readonly<Record<ResourceDefinition['group'], ResourceGroup>> = {
  content: 'write',
  site: 'arrange',
  people: 'run',
  business: 'run',
  system: 'run',
}
