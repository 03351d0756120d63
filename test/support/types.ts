import type { ContentType, ContentTypes, Shape, Status, Taxonomy } from '../../src/core/content-type.ts'
import { SYSTEM_FOLDERS } from '../../src/core/key.ts'

const STATUSES: readonly Status[] = [
  { name: 'draft', live: false, to: ['in_review', 'published'] },
  { name: 'in_review', live: false, to: ['draft', 'published'] },
  { name: 'published', live: true, to: ['draft', 'archived'] },
  { name: 'archived', live: false, to: ['draft'] },
]

const TAXONOMIES: readonly Taxonomy[] = [
  { name: 'categories', singular: 'category', hierarchical: true },
  { name: 'tags', singular: 'tag', hierarchical: false },
]

/** The types of a site without a configuration: every folder is one, by the usual statuses and taxonomies. For tests of what needs no more. */
export function plainTypes(): ContentTypes {
  return {
    get: (name) => (SYSTEM_FOLDERS.has(name) || name.startsWith('.') ? undefined : plainType(name)),
    declared: () => [],
    taxonomies: () => TAXONOMIES,
    shape: (kind) => (/^(?:\.|menus$|taxonomy\/)/.test(kind) ? dataShape() : plainType(kind)),
  }
}

function dataShape(): Shape {
  return { ...recordShape(), record: false, taxonomies: [], statuses: new Map() }
}

function recordShape() {
  return {
    record: true as const,
    map: {},
    defaultStatus: 'published',
    liveStatus: 'published',
    taxonomies: TAXONOMIES,
    statuses: new Map(STATUSES.map((status) => [status.name, status])),
    instants: [],
    timezone: 'UTC',
  }
}

function plainType(name: string): ContentType {
  return {
    ...recordShape(),
    name,
    label: name,
    declared: false,
    fields: new Map(),
    permalink: name === 'pages' ? '/{path}' : '/{type}/{path}',
    template: null,
    path: null,
    additionalFields: false,
    html: 'clean',
    sort: [{ field: 'published_at', descending: true, as: 'instant' }],
  }
}
