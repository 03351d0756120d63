import type { Row } from '../../resource.ts'
import type { ListedMenu } from '../schema.ts'

/** Returns a menu as the panel has it. */
export function rowOf(view: ListedMenu): Row {
  const { name, label, items = [], version } = view
  return {
    id: name,
    title: label ?? name,
    values: { name, label, items: JSON.parse(JSON.stringify(items)), count: items.length },
    version,
  }
}
