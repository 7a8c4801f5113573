import { z } from 'zod'
import { ICON_NAMES } from './icon-names.ts'
import {
  Accessibility,
  Action,
  ChildList,
  ComponentId,
  checkable,
  DynamicBoolean,
  DynamicNumber,
  DynamicString,
  DynamicStringList,
} from './values.ts'

/** The basic catalog, which every renderer has: https://a2ui.org/specification/v0_9/catalogs/basic/catalog.json */

const ALIGNMENTS = ['start', 'center', 'end', 'stretch'] as const
const ARRANGEMENTS = [
  'start',
  'center',
  'end',
  'spaceAround',
  'spaceBetween',
  'spaceEvenly',
  'stretch',
] as const

function component<Name extends string, Shape extends z.ZodRawShape>(name: Name, shape: Shape) {
  return z.strictObject({
    id: ComponentId,
    component: z.literal(name),
    accessibility: Accessibility.optional(),
    weight: z.number().optional(),
    ...shape,
  })
}

const layout = {
  children: ChildList,
  justify: z.enum(ARRANGEMENTS).optional(),
  align: z.enum(ALIGNMENTS).optional(),
}

export const BasicComponent = z.discriminatedUnion('component', [
  component('Text', {
    text: DynamicString,
    variant: z.enum(['h1', 'h2', 'h3', 'h4', 'h5', 'caption', 'body']).optional(),
  }),
  component('Image', {
    url: DynamicString,
    description: DynamicString.optional(),
    fit: z.enum(['contain', 'cover', 'fill', 'none', 'scaleDown']).optional(),
    variant: z.enum(['icon', 'avatar', 'smallFeature', 'mediumFeature', 'largeFeature', 'header']).optional(),
  }),
  component('Icon', {
    name: z.union([
      z.enum(ICON_NAMES),
      z.strictObject({ svgPath: z.string() }),
      z.strictObject({ path: z.string() }),
    ]),
  }),
  component('Video', { url: DynamicString }),
  component('AudioPlayer', { url: DynamicString, description: DynamicString.optional() }),
  component('Row', layout),
  component('Column', layout),
  component('List', {
    children: ChildList,
    direction: z.enum(['vertical', 'horizontal']).optional(),
    align: z.enum(ALIGNMENTS).optional(),
    listStyle: z.enum(['ordered', 'unordered', 'none']).optional(),
  }),
  component('Card', { child: ComponentId }),
  component('Tabs', {
    tabs: z.array(z.strictObject({ title: DynamicString, child: ComponentId })).min(1),
  }),
  component('Modal', { trigger: ComponentId, content: ComponentId }),
  component('Divider', { axis: z.enum(['horizontal', 'vertical']).optional() }),
  component('Button', {
    child: ComponentId,
    variant: z.enum(['default', 'primary', 'borderless']).optional(),
    action: Action.optional(),
    ...checkable,
  }),
  component('TextField', {
    label: DynamicString,
    value: DynamicString.optional(),
    variant: z.enum(['longText', 'number', 'shortText', 'obscured']).optional(),
    validationRegexp: z.string().optional(),
    ...checkable,
  }),
  component('CheckBox', { label: DynamicString, value: DynamicBoolean, ...checkable }),
  component('ChoicePicker', {
    label: DynamicString.optional(),
    variant: z.enum(['multipleSelection', 'mutuallyExclusive']).optional(),
    options: z.array(z.strictObject({ label: DynamicString, value: z.string() })),
    value: DynamicStringList,
    displayStyle: z.enum(['checkbox', 'chips']).optional(),
    filterable: z.boolean().optional(),
    ...checkable,
  }),
  component('Slider', {
    label: DynamicString.optional(),
    min: z.number().optional(),
    max: z.number(),
    value: DynamicNumber,
    ...checkable,
  }),
  component('DateTimeInput', {
    value: DynamicString,
    enableDate: z.boolean().optional(),
    enableTime: z.boolean().optional(),
    min: DynamicString.optional(),
    max: DynamicString.optional(),
    label: DynamicString.optional(),
    ...checkable,
  }),
])
export type BasicComponent = z.infer<typeof BasicComponent>
