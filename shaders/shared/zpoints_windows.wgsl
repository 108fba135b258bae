// shared/zpoints.wgsl for more points than one binding holds: seen through four windows.
override ZPOINT_WINDOW: u32 = 1u;

@group(0) @binding(27) var<storage, read> zpoints_0: array<vec4<u32>>;
@group(0) @binding(46) var<storage, read> zpoints_1: array<vec4<u32>>;
@group(0) @binding(47) var<storage, read> zpoints_2: array<vec4<u32>>;
@group(0) @binding(48) var<storage, read> zpoints_3: array<vec4<u32>>;

fn zpoint(at: u32) -> vec4<u32> {
    let place = at % ZPOINT_WINDOW;
    switch at / ZPOINT_WINDOW {
        case 0u: {
            return zpoints_0[place];
        }
        case 1u: {
            return zpoints_1[place];
        }
        case 2u: {
            return zpoints_2[place];
        }
        default: {
            return zpoints_3[place];
        }
    }
}
