//! Work without an end in sight, for tests of a device that hangs. In: a device. Out: one that is busy for seconds.

/// Keeps `device` busy for seconds.
pub fn spin(device: &wgpu::Device, queue: &wgpu::Queue) {
    const SPIN: &str = "
        @group(0) @binding(0) var<storage, read_write> number: u32;

        @compute @workgroup_size(1)
        fn spin() {
            var x = number;
            for (var i = 0u; i < 2000000000u; i += 1u) {
                x = x * 1664525u + 1013904223u;
            }
            number = x;
        }";
    let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: Some("spin"),
        source: wgpu::ShaderSource::Wgsl(SPIN.into()),
    });
    let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: Some("spin"),
        layout: None,
        module: &module,
        entry_point: None,
        compilation_options: Default::default(),
        cache: None,
    });
    let number = device.create_buffer(&wgpu::BufferDescriptor {
        label: Some("spin"),
        size: 4,
        usage: wgpu::BufferUsages::STORAGE,
        mapped_at_creation: false,
    });
    let group = device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: Some("spin"),
        layout: &pipeline.get_bind_group_layout(0),
        entries: &[wgpu::BindGroupEntry {
            binding: 0,
            resource: number.as_entire_binding(),
        }],
    });
    let mut encoder = device.create_command_encoder(&Default::default());
    let mut pass = encoder.begin_compute_pass(&Default::default());
    pass.set_pipeline(&pipeline);
    pass.set_bind_group(0, &group, &[]);
    pass.dispatch_workgroups(1, 1, 1);
    drop(pass);
    queue.submit([encoder.finish()]);
}
