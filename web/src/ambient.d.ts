declare module "virtual:colours" {
  export const map_diverging: number[];
  export const map_sequential: number[];
  export const line_colours: number[];
}
