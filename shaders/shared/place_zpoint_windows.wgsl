// What shared/zpoints_windows.wgsl reads, to be written.
override ZPOINT_WINDOW: u32 = 1u;

@group(0) @binding(27) var<storage, read_write> zpoints_0: array<vec4<u32>>;
@group(0) @binding(46) var<storage, read_write> zpoints_1: array<vec4<u32>>;
@group(0) @binding(47) var<storage, read_write> zpoints_2: array<vec4<u32>>;
@group(0) @binding(48) var<storage, read_write> zpoints_3: array<vec4<u32>>;

fn place_zpoint(at: u32, words: vec4<u32>) {
    let place = at % ZPOINT_WINDOW;
    switch at / ZPOINT_WINDOW {
        case 0u: {
            zpoints_0[place] = words;
        }
        case 1u: {
            zpoints_1[place] = words;
        }
        case 2u: {
            zpoints_2[place] = words;
        }
        default: {
            zpoints_3[place] = words;
        }
    }
}
